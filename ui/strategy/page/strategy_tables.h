// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "strategy/scene/strategy_scene.h"
#include "tables/table_data.h"

namespace ringside {

TableData placementTable(const StrategyScene& scene);  // returns the columns rank, position in the mesh, kind and name
                                                       // of the layer, bytes of its parameters that the rank holds
TableData memoryTable(const StrategyScene& scene);     // returns the columns rank, class of memory, predicted bytes,
                                                       // measured bytes
TableData curvesTable(const StrategyScene& scene);     // returns the columns rank, share of the step, bytes in use by
                                                       // class and in total, predicted peak, measured peak
TableData meshTable(const StrategyScene& scene);      // returns the columns sending rank, its position, receiving rank,
                                                      // its position, content, bytes per step
TableData scheduleTable(const StrategyScene& scene);  // returns the columns schedule (planned or ran), lane, block,
                                                      // begin, end
TableData linksTable(const StrategyScene& scene);     // returns the columns rank, predicted bytes per step by content
                                                      // and in total, measured bytes per step

}  // namespace ringside
