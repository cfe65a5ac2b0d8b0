// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/system/child_process.h"
#include "run/record/reopened_record.h"
#include "run/supervise/verdict.h"
#include "telemetry/events/events.h"

namespace ringside {

// End of one rank's process, and the last stage that the rank reported.
struct RankReport {
    int rank = 0;
    std::optional<ChildEnd> end;  // exit code or signal of the process; empty: the process is still running
    // Position of this end in the order in which the supervisor detected the ends of ranks, from 1; 0: still running.
    int endOrder = 0;
    std::optional<RankStage> reportedStage;  // stage in the last RankState of the rank; empty: the rank sent none
};

// A complete checkpoint on the disk: all files of its manifest exist and have the listed sizes.
struct StoredCheckpoint {
    std::string path;  // path of the checkpoint, relative to the run directory
    std::int64_t step = 0;
    std::int64_t epochsDone = 0;
};

// Facts that determine the outcome of a run.
struct RunEvidence {
    std::vector<RankReport> ranks;
    std::int64_t steps = 0;         // number of steps done: the larger of the steps in the reports received and the
                                    // steps of the newest checkpoint
    std::int64_t plannedSteps = 0;  // number of steps of all epochs together
    std::int64_t plannedEpochs = 0;
    std::optional<StoredCheckpoint> checkpoint;  // newest checkpoint; empty if there is none
    bool stopRequested = false;
    bool cutShort = false;         // true if the ranks were terminated by the third stop request, before they had saved
                                   // their weights
    bool nothingTrained = false;   // true if the stop was requested while ranks were loading data, so that there were
                                   // no weights to save
    std::string directoryLost;     // description of the loss of the run directory, which has ended the run; empty if
                                   // the directory was not lost
    std::optional<Verdict> fault;  // failure that was detected while ranks were running; empty: none
};

// Returns the outcome of a run: state, exit code, first failed rank and verdict.
//
// "finished" requires that each rank has reported "finished" and exited with 0, and that the checkpoint of the last
// planned step and epoch is complete. "stopped" requires that each rank has reported "stopped" and that the checkpoint
// of the last step is complete, or that the ranks were terminated by request. Any other end is a failure.
RunEnded outcomeOf(const RunEvidence& evidence);

// Returns the outcome for the case that the launcher kills the run now: the run was stopped by request.
RunEnded outcomeIfKilledNow(const RunEvidence& evidence);

// Returns the newest complete checkpoint of a run directory; empty if there is none.
std::optional<StoredCheckpoint> newestCheckpoint(const std::filesystem::path& runDirectory);
// Returns the newest complete checkpoint with at most recordedSteps steps, for a run that resumes in the same
// directory: after a crash, a checkpoint can have more steps than the record. If all complete checkpoints have more
// steps, returns the newest one.
std::optional<StoredCheckpoint> newestRecordedCheckpoint(const std::filesystem::path& runDirectory,
                                                         std::int64_t recordedSteps);
// Returns the checkpoint from which a run with dataRanks data-parallel ranks resumes in the same directory; empty if
// none is usable.
//
// A checkpoint is usable if it is complete and either lies between two epochs or was written with the same dataRanks:
// with another number of ranks, the samples of an epoch in progress would be assigned differently. First choice: the
// newest usable checkpoint whose steps and epoch results are all recorded. Second: the newest usable checkpoint of
// which only the results of the last epoch are not recorded. Third: the newest usable checkpoint.
std::optional<StoredCheckpoint> newestUsableCheckpoint(const std::filesystem::path& runDirectory,
                                                       const RecordedProgress& recorded, std::int64_t dataRanks);
// Returns the complete checkpoint at this path if it belongs to the run directory; empty otherwise.
std::optional<StoredCheckpoint> checkpointAt(const std::filesystem::path& runDirectory,
                                             const std::filesystem::path& checkpoint);

}  // namespace ringside
