// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tables/table_data.h"
#include "telemetry/data/trace_data.h"

namespace ringside {

// Table of the visible steps: activity of each rank, and its lateness. The table is a copy, so any thread may write it
// during the run.
TableData timelineTable(const TraceData* trace, std::int64_t firstStep, std::int64_t lastStep);

}  // namespace ringside
