// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/scene/shard_table.h"
#include "telemetry/data/trace_data.h"

namespace ringside {

// The steps that the lanes show as rows: what each rank did, to whom it came how late. A copy: it may be written on any
// thread while the run goes on.
ShardTable timelineTable(const TraceData* trace, std::int64_t firstStep, std::int64_t lastStep);

}  // namespace ringside
