// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "run/read/run_directory.h"

namespace ringside {

// Checkpoint from which a run resumes in its own directory: the end of the record that is kept.
struct RecordCut {
    std::int64_t step = 0;        // number of steps done; later steps are trained again
    std::int64_t epochsDone = 0;  // number of epochs done
};

// Removes the lines after the checkpoint and the end line from telemetry.jsonl and metrics.jsonl, and deletes
// summary.json. Returns the run time of the last line that is kept, in microseconds. Throws IoError; each file is then
// either unchanged or completely rewritten.
std::int64_t cutRecord(const RunPaths& paths, const RecordCut& cut);

// Extent of metrics.jsonl; zeros if there is no such file.
struct RecordReach {
    std::int64_t steps = 0;
    std::int64_t epochs = 0;  // number of epochs with all their results
};
RecordReach recordReach(const RunPaths& paths);

}  // namespace ringside
