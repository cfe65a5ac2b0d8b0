// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/ledger/ledger.h"
#include "shards/scene/shard_table.h"

namespace ringside {

ShardTable ledgerTable(const QList<LedgerRow>& rows);

}  // namespace ringside
