// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/scene/shard_table.h"
#include "shards/summary/epoch_summary.h"

namespace ringside {

ShardTable epochSummaryTable(const QList<EpochSummaryRow>& rows);

}  // namespace ringside
