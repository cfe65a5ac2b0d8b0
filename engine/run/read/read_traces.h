// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/errors/result.h"
#include "run/read/run_directory.h"
#include "telemetry/data/trace_data.h"

namespace ringside {

struct RecordedTraces {
    TraceData data;
    std::int64_t lines = 0;
    std::int64_t badLines = 0;  // damaged, or of no rank of this run: skipped
};

// The traced steps that a run directory holds. A problem where there are none, with the way to get some.
Result<RecordedTraces> readTraces(const RunPaths& paths);

}  // namespace ringside
