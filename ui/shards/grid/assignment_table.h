// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/scene/shard_scene.h"
#include "tables/table_data.h"

namespace ringside {

// Returns a table in the format of `ringsidectl plan`: epoch, step, rank, slot, index and flag of each sample; also the
// class if there is one. Rows are in training order; dropped samples are last.
TableData assignmentTable(const ShardScene& scene);

}  // namespace ringside
