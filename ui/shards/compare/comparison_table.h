// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/scene/shard_scene.h"
#include "shards/scene/shard_table.h"

namespace ringside {

// A line for each sample, with its first place in both plans.
ShardTable comparisonTable(const ShardScene& scene, const ShardPlan& other, const QString& name);

}  // namespace ringside
