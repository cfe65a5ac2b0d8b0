// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "identity/identity.h"
#include "shards/scene/grid_cell.h"
#include "shards/scene/shard_scene.h"

namespace ringside {

// Returns the sample, the rank, the step and the epoch of a cell; nothing for a place without a sample. A cell that no
// step trains has no step.
std::vector<Identity> identitiesOf(const ShardScene& scene, const GridCell& cell);

}  // namespace ringside
