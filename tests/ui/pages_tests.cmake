# SPDX-License-Identifier: GPL-3.0-or-later
ringside_add_test(test_loom SOURCES cell_differences_test.cpp loom_geometry_test.cpp loom_marks_test.cpp loom_raster_test.cpp map_test.cpp LIBS ringside_ui)
ringside_add_test(test_ledger SOURCES batch_balance_test.cpp ledger_test.cpp explanation_test.cpp class_balance_test.cpp shard_table_test.cpp LIBS ringside_ui Qt6::Test)
ringside_add_test(test_plan_model SOURCES plan_model_test.cpp verification_test.cpp LIBS ringside_ui GUI)
ringside_add_test(test_shards_page SOURCES shards_page_test.cpp LIBS ringside_ui Qt6::Test GUI)
ringside_add_test(test_charts SOURCES smoothing_test.cpp decimator_test.cpp axis_test.cpp LIBS ringside_ui)
ringside_add_test(test_training_page SOURCES live_chart_test.cpp training_page_test.cpp LIBS ringside_ui Qt6::Test GUI)
ringside_add_test(test_shard_views SOURCES breadcrumb_test.cpp deal_test.cpp shard_views_test.cpp LIBS ringside_ui Qt6::Test GUI)
ringside_add_test(test_diagnostics SOURCES diagnostics_test.cpp LIBS ringside_ui GUI)
