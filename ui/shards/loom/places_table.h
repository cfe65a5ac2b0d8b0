// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/scene/shard_scene.h"
#include "shards/scene/shard_table.h"

namespace ringside {

// epoch,step,rank,slot,index,flag as ringsidectl plan writes them, and the class where there is one; in the order of
// training, dropped samples last.
ShardTable placesTable(const ShardScene& scene);

}  // namespace ringside
