// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/summary/epoch_summary.h"
#include "tables/table_data.h"

namespace ringside {

TableData epochSummaryTable(const QList<EpochSummaryRow>& rows);

}  // namespace ringside
