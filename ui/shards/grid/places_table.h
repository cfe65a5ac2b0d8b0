// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/scene/shard_scene.h"
#include "tables/table_data.h"

namespace ringside {

// Returns a table with epoch, step, rank, slot, index and flag as written by ringsidectl plan, and the class if there
// is one; in training order, dropped samples last.
TableData placesTable(const ShardScene& scene);

}  // namespace ringside
