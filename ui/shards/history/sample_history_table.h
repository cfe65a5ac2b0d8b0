// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/history/sample_history.h"
#include "shards/scene/shard_table.h"

namespace ringside {

ShardTable sampleHistoryTable(const SampleHistory& history);

}  // namespace ringside
