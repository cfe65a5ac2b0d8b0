// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "strategy/pictures/schedule_lanes.h"

namespace ringside {

// Returns the present position of each rank on the time axis of the planned schedule. Before the rank's passes begin,
// the position is negative; after its passes, it is the end of the lane; if unknown, it is empty. Returns an empty list
// if scene.motion is empty. planned: first result of scheduleLanes().
std::vector<std::optional<double>> laneMoments(const StrategyScene& scene, const LaneGroup& planned);

// Returns for each unit of a sharded model (layers that are gathered together) whether its parameters are gathered or
// are being gathered, at the position of the slowest rank.
std::vector<bool> gatheredNow(const StrategyScene& scene, const LaneGroup& planned);

// True while rank `from` sends content of the kind `what`.
bool isSendingNow(const StrategyScene& scene, StepLink::What what, int from);

// Returns a text with the present action of each rank, such as "Step 12: rank 0 in 0F3, rank 1 in 0F2"; empty if
// scene.motion is empty.
QString motionSentence(const StrategyScene& scene);

}  // namespace ringside
