// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tables/table_data.h"
#include "telemetry/traces/trace_data.h"

namespace ringside {

// Returns a table of the visible steps: activity of each rank, and its lateness. The table is a copy of the traces, so
// any thread may write it to a file while the run continues.
TableData timelineTable(const TraceData* trace, std::int64_t firstStep, std::int64_t lastStep);

}  // namespace ringside
