// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/ledger/ledger.h"
#include "shards/scene/shard_table.h"

namespace ringside {

ShardTable epochSummaryTable(const QList<EpochSummaryRow>& rows);

}  // namespace ringside
