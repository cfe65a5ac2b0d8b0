// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "identity/identity.h"
#include "shards/scene/grid_cell.h"
#include "shards/scene/shard_scene.h"

namespace ringside {

// Returns the sample, the rank, the step and the epoch of a cell; without the step if no step trains on the sample.
// Returns an empty list for a cell without a sample.
std::vector<Identity> identitiesOf(const ShardScene& scene, const GridCell& cell);

}  // namespace ringside
