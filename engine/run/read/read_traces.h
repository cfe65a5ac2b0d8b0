// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/errors/result.h"
#include "run/read/run_directory.h"
#include "telemetry/traces/trace_data.h"

namespace ringside {

// Traced steps of a run directory.
struct RecordedTraces {
    TraceData data;
    std::int64_t lines = 0;
    std::int64_t badLines = 0;  // number of skipped lines: damaged, or of a rank that the run does not have
};

// Reads the traced steps of a run directory. Returns a problem if there are none; it states how to record some.
Result<RecordedTraces> readTraces(const RunPaths& paths);

}  // namespace ringside
