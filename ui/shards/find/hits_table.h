// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "sampling/query/plan_query.h"
#include "shards/scene/shard_scene.h"
#include "tables/table_data.h"

namespace ringside {

// Returns the table of a search result, with the columns of assignmentTable().
TableData hitsTable(const ShardScene& scene, std::vector<PlanHit> hits);

}  // namespace ringside
