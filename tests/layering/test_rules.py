# SPDX-License-Identifier: Apache-2.0
"""Tests that each rule reports the mistake for which it was written, and accepts the correct form."""
import sys

import rules

APACHE = "// SPDX-License-Identifier: Apache-2.0\n"
GPL = "// SPDX-License-Identifier: GPL-3.0-or-later\n"
rules.TREE = {"ui/main_window/main_window.h", "ui/shards/grid/grid_view.h", "ui/shards/scene/shard_scene.h",
              "ui/devices/devices_dialog.h", "app/ringsidectl/plan/plan_settings.h"}
BAD = [
    ("ui/models/a.cpp", GPL + '#include "main_window/main_window.h"\n', "ui/models may not include"),
    ("ui/models/a.cpp", GPL + '#include "devices/devices_dialog.h"\n', "ui/models may not include"),
    ("ui/shards/scene/a.cpp", GPL + '#include "shards/grid/grid_view.h"\n', "ui/shards/scene may not include"),
    ("ui/shards/attic/a.cpp", GPL, "in no list"),
    ("ui/attic/a.cpp", GPL, "in no list"),
    ("app/ringsidectl/live/a.cpp", APACHE + '#include "plan/plan_settings.h"\n', "live may not include"),
    ("engine/run/a.cpp", APACHE + "#include <QString>\n", "no Qt"),
    ("engine/base/a.h", APACHE + "void emit();\n", "Qt macro"),
    ("engine/base/a.cpp", APACHE + '#include "config/run_config.h"\n', "may not include"),
    ("engine/telemetry/events/a.cpp", APACHE + '#include "comm/store.h"\n', "may not include"),
    ("engine/launch/store/a.cpp", APACHE + '#include "launch/rendezvous/rendezvous_host.h"\n', "may not include"),
    ("engine/backend/cpu/kernels/a.cpp", APACHE + '#include "backend/cpu/cpu_backend.h"\n', "may not include"),
    ("engine/base/attic/a.cpp", APACHE, "in no list"),
    ("engine/run/checkpoint/a.cpp", APACHE + '#include "run/read/run_record.h"\n', "may not include"),
    ("ui/shards/page/a.cpp", GPL + '#include "train/trainer.h"\n', "only the worker"),
    ("app/ringsidectl/main.cpp", APACHE + '#include "nn/model.h"\n', "only the worker"),
    ("engine/nn/layers/a.cpp", APACHE + "#include <dnnl.hpp>\n", "alone"),
    ("engine/comm/shm_a.cpp", APACHE + "#include <gloo/context.h>\n", "alone"),
    ("ui/training/a.cpp", GPL + "#include <QChartView>\n", "alone"),
    ("ui/training/a.cpp", GPL + "#include <QtCharts/QLineSeries>\n", "alone"),
    ("engine/comm/a.cpp", APACHE + "#ifdef HAVE_GLOO\n#endif\n", "choose by file"),
    ("engine/comm/a.cpp", "int x;\n", "SPDX"),
    ("ui/a.cpp", APACHE, "GPL-3.0"),
    ("engine/comm/a.cpp", APACHE + "\n" * 601, "600"),
    ("engine/comm/a.cpp", APACHE + '"/ho' + 'me/x"\n', "machine"),
]
GOOD = [
    ("engine/backend/cpu/convolution/a.cpp", APACHE + "#include <dnnl.hpp>\n"),
    ("engine/backend/cpu/cpu_backend.cpp", APACHE + '#include "backend/cpu/kernels/adam.h"\n'),
    ("engine/comm/gloo_communicator.cpp", APACHE + "#include <gloo/context.h>\n"),
    ("ui/charts/a.cpp", GPL + "#include <QChartView>\n"),
    ("engine/train/loop/a.cpp", APACHE + '#include "comm/communicator.h"\n#include "parallel/strategy.h"\n'),
    ("ui/shards/scene/a.cpp", GPL + '#include "sampling/shard_plan.h"\n#include <QWidget>\n'),
    ("ui/models/a.cpp", GPL + '#include "devices/host_devices.h"\n'),  # the engine's
    ("ui/shards/grid/a.cpp", GPL + '#include "shards/scene/shard_scene.h"\n'),
    ("app/ringsidectl/live/a.cpp", APACHE + '#include "run/read/run_directory.h"\n'),
]
wrong = [f"not flagged ({word}): {path}" for path, text, word in BAD
         if not any(word in complaint for complaint in rules.complaints(path, text))]
wrong += [f"flagged without reason: {path}: {rules.complaints(path, text)}" for path, text in GOOD
          if rules.complaints(path, text)]
if list(rules.circles({"a": {"b"}, "b": {"c"}, "c": set()})) or len(list(rules.circles({"a": {"b"}, "b": {"a"}}))) != 2:
    wrong.append("a cycle of folders is not distinguished from a chain")
print("\n".join(wrong) or f"{len(BAD)} mistakes flagged, {len(GOOD)} right files left alone")
sys.exit(1 if wrong else 0)
