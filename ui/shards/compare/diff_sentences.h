// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "sampling/findings/plan_diff.h"
#include "shards/scene/explanation.h"

namespace ringside {

// Explains how many samples keep their rank and step from one epoch to the other, and how many two unrelated shuffles
// would keep. Returns a warning if no sample changes its position.
Explanation explainEpochDiff(const ShardScene& scene, std::int64_t otherEpoch, const PlanDiff& diff);

// Explains how many samples have the same rank and step in the plans of the settings A and B.
Explanation explainSettingsDiff(const ShardPlan& a, const ShardPlan& b, const PlanDiff& diff);

}  // namespace ringside
