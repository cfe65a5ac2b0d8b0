// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "strategy/pictures/schedule_lanes.h"

namespace ringside {

// Where in its lane of the planned schedule each rank is, in the group's unit of time: before 0 while it has not begun,
// the end where its passes are over; nothing where it cannot be told. None at all while nothing is shown.
// planned: the first of scheduleLanes().
std::vector<std::optional<double>> laneMoments(const StrategyScene& scene, const LaneGroup& planned);

// Of a sharded model: which units are whole on each rank, or on their way there, by their place among the units.
std::vector<bool> gatheredNow(const StrategyScene& scene, const LaneGroup& planned);

// Whether this travels from that rank just now.
bool travelsNow(const StrategyScene& scene, StepLink::What what, int from);

// "Step 12: rank 0 in 0F3, rank 1 in 0F2"; empty while nothing is shown.
QString motionSentence(const StrategyScene& scene);

}  // namespace ringside
