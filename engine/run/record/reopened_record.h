// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "run/read/run_directory.h"

namespace ringside {

// Where a run that goes on in its own directory takes up its record.
struct RecordCut {
    std::int64_t step = 0;        // of the checkpoint: later ones are trained again
    std::int64_t epochsDone = 0;  // by then
};

// Takes what came after the checkpoint, and the end, out of telemetry.jsonl and metrics.jsonl, and the summary away.
// Returns the run time of the last line that stays, in microseconds. Throws IoError.
std::int64_t cutRecord(const RunPaths& paths, const RecordCut& cut);

// How far metrics.jsonl goes; zeros where there is none.
struct RecordReach {
    std::int64_t steps = 0;
    std::int64_t epochs = 0;  // whole ones with all their results; written when the first step behind them is
};
RecordReach recordReach(const RunPaths& paths);

}  // namespace ringside
