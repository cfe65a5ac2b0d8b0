// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/scene/shard_scene.h"
#include "shards/scene/shard_table.h"

namespace ringside {

// A line for each sample, with its first place.
ShardTable samplesTable(const ShardScene& scene);

}  // namespace ringside
