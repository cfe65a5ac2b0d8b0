// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "run/read/run_summary.h"
#include "tables/table_data.h"

namespace ringside {

// Returns the audit of a watched run: a row for each data loader and epoch, with the numbers of samples that were
// assigned, distinct, used twice and never used, and the number of samples of each rank. Epochs are counted from 1.
// With more than kMaxRankColumns ranks, one column contains the smallest and the largest number of samples of a rank.
// Unknown values are empty.
TableData auditTable(const SummarySamples& audit);
// Returns the rows of auditTable() in fewer columns, for a narrow view: the numbers of all ranks share a column, and
// the column of the use (training or validation) or of the loader is left out if it is equal in all rows.
TableData narrowAuditTable(const SummarySamples& audit);

inline constexpr std::size_t kMaxRankColumns = 8;

}  // namespace ringside
