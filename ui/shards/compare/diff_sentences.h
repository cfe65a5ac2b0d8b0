// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "sampling/findings/plan_diff.h"
#include "shards/scene/explanation.h"

namespace ringside {

// What stayed where between two epochs, with what a fresh shuffle gives; a warning when nothing moved.
Explanation explainEpochDiff(const ShardScene& scene, std::int64_t otherEpoch, const PlanDiff& diff);

// What two settings have in common.
Explanation explainSettingsDiff(const ShardPlan& a, const ShardPlan& b, const PlanDiff& diff);

}  // namespace ringside
