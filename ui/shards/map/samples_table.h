// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/scene/shard_scene.h"
#include "tables/table_data.h"

namespace ringside {

// Returns a table with a row for each sample. The row contains the first position (rank, step, slot) of the sample in
// the plan.
TableData samplesTable(const ShardScene& scene);

}  // namespace ringside
