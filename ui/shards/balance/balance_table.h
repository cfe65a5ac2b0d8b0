// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "sampling/findings/class_balance.h"
#include "shards/scene/shard_table.h"

namespace ringside {

ShardTable balanceTable(const ClassBalance& balance);

}  // namespace ringside
