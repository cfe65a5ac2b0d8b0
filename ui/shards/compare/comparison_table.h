// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/scene/shard_scene.h"
#include "tables/table_data.h"

namespace ringside {

// Returns a table with one row per sample: the first position of the sample in the plan of `scene`, and its first
// position in the plan `other`.
TableData comparisonTable(const ShardScene& scene, const ShardPlan& other, const QString& name);

}  // namespace ringside
