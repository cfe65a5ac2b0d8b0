// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "strategy/scene/strategy_scene.h"
#include "tables/table_data.h"

namespace ringside {

TableData holdsTable(const StrategyScene& scene);     // returns the columns rank, place, layer, and its bytes of each
                                                      // kind of state
TableData memoryTable(const StrategyScene& scene);    // returns the columns rank, class, predicted, measured
TableData curvesTable(const StrategyScene& scene);    // returns the columns rank, time, bytes in use by class, and
                                                      // allocated bytes
TableData meshTable(const StrategyScene& scene);      // returns the columns from, to, content, bytes per step
TableData scheduleTable(const StrategyScene& scene);  // returns the columns planned or actual, lane, block, begin, end
TableData linksTable(const StrategyScene& scene);     // returns the columns rank, content, bytes per step, predicted
                                                      // and measured

}  // namespace ringside
