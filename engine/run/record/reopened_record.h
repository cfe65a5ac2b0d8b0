// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "run/read/run_directory.h"

namespace ringside {

// Checkpoint from which a run resumes in its own directory. The record up to this checkpoint is kept.
struct RecordCut {
    std::int64_t step = 0;        // number of steps done at the checkpoint; later steps are removed from the record,
                                  // because the ranks train them again
    std::int64_t epochsDone = 0;  // number of complete epochs at the checkpoint
};

// Removes the lines after the checkpoint and the end line from telemetry.jsonl and metrics.jsonl, and deletes
// summary.json. Returns the run time of the last line that is kept, in microseconds. Throws IoError; each file is then
// either unchanged or completely rewritten.
std::int64_t truncateRecord(const RunPaths& paths, const RecordCut& cut);

// Last step and number of epochs recorded in metrics.jsonl; zeros if the file does not exist.
struct RecordedProgress {
    std::int64_t steps = 0;
    std::int64_t epochs = 0;  // number of epochs whose results are all in the file
};
RecordedProgress readRecordedProgress(const RunPaths& paths);

}  // namespace ringside
