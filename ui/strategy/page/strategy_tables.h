// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "strategy/scene/strategy_scene.h"
#include "tables/table_data.h"

namespace ringside {

TableData holdsTable(const StrategyScene& scene);     // rank, place, layer, and its bytes of each kind of state
TableData memoryTable(const StrategyScene& scene);    // rank, class, predicted, measured
TableData curvesTable(const StrategyScene& scene);    // rank, time, bytes in use by class, and allocated bytes
TableData meshTable(const StrategyScene& scene);      // from, to, content, bytes per step
TableData scheduleTable(const StrategyScene& scene);  // planned and actual: lane, block, begin, end
TableData linksTable(const StrategyScene& scene);     // rank, content, bytes per step, predicted and measured

}  // namespace ringside
