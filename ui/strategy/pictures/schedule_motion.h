// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "strategy/pictures/schedule_lanes.h"

namespace ringside {

// Returns the current position of each rank in its lane of the planned schedule, in the time unit of the group: below 0
// before its passes begin, the end of the lane after its passes; empty if unknown. Returns no positions if
// scene.motion is empty. planned: first result of scheduleLanes().
std::vector<std::optional<double>> laneMoments(const StrategyScene& scene, const LaneGroup& planned);

// For a sharded model, returns for each unit (layers that are gathered together) whether its parameters are gathered,
// or being gathered, at the position of the slowest rank.
std::vector<bool> gatheredNow(const StrategyScene& scene, const LaneGroup& planned);

// True if rank `from` is sending the content `what` at the moment.
bool isSendingNow(const StrategyScene& scene, StepLink::What what, int from);

// Returns the current action of each rank, such as "Step 12: rank 0 in 0F3, rank 1 in 0F2"; empty if scene.motion is
// empty.
QString motionSentence(const StrategyScene& scene);

}  // namespace ringside
