// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "run/read/run_summary.h"
#include "tables/table_data.h"

namespace ringside {

// Returns the audit of a watched run as rows: loader, epoch from 1, numbers of samples, and those of each rank. With
// more than kMostRankColumns ranks, one column states the range over the ranks. Values that are not known are empty.
TableData auditTable(const SummarySamples& audit);
// Returns the same rows in fewer columns, for a narrow view: the numbers of all ranks share a column, and a column with
// the same use or loader in each row is left out.
TableData narrowAuditTable(const SummarySamples& audit);

inline constexpr std::size_t kMostRankColumns = 8;

}  // namespace ringside
