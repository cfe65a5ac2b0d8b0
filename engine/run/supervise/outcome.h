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

// End of one rank's process and the last state that the rank reported.
struct RankReport {
    int rank = 0;
    std::optional<ChildEnd> end;  // exit code or signal of the process; empty: the process is still running
    // Position in the order in which the ends of ranks were detected, from 1; 0: still running.
    int endOrder = 0;
    std::optional<RankStage> reportedStage;  // stage that the rank's last RankState reported
};

// A complete checkpoint on the disk: all files of its manifest exist and have the listed sizes.
struct CheckpointThere {
    std::string path;  // path of the checkpoint, relative to the run directory
    std::int64_t step = 0;
    std::int64_t epochsDone = 0;
};

// Facts that determine the outcome of a run.
struct RunEvidence {
    std::vector<RankReport> ranks;
    std::int64_t steps = 0;         // number of steps done, by the reports received or by the newest checkpoint
    std::int64_t plannedSteps = 0;  // number of steps of all epochs together
    std::int64_t plannedEpochs = 0;
    std::optional<CheckpointThere> checkpoint;  // newest checkpoint; empty if there is none
    bool stopRequested = false;
    bool cutShort = false;         // true if the ranks were terminated by request before they had saved the weights
    bool nothingTrained = false;   // true if the stop came while ranks loaded data: there was nothing to save
    std::string directoryLost;     // text about the loss of the run directory, which ended the run; empty: it is not
                                   // lost
    std::optional<Verdict> fault;  // reason of a failure that was found while the ranks ran
};

// Returns the outcome of a run: state, exit code, first failed rank and verdict. This function alone decides it.
// "finished" requires that each rank reported it and exited with 0 and that the checkpoint of the last planned step and
// epoch is complete. "stopped" requires that each rank reported it and the checkpoint of the last step is complete, or
// that the ranks were terminated by request. Each other end is a failure.
RunEnded outcomeOf(const RunEvidence& evidence);

// Returns the preliminary outcome of a run whose launcher has requested a stop and may kill the run before its ranks
// have ended.
RunEnded outcomeIfKilledNow(const RunEvidence& evidence);

// Returns the newest complete checkpoint of a run directory; empty if there is none.
std::optional<CheckpointThere> newestCheckpoint(const std::filesystem::path& runDirectory);
// Returns the newest complete checkpoint that is not beyond recordedSteps, for a run that resumes in the same
// directory: a checkpoint can be on the disk before its last steps were recorded. If all complete checkpoints are
// beyond recordedSteps, returns the newest one.
std::optional<CheckpointThere> newestRecorded(const std::filesystem::path& runDirectory, std::int64_t recordedSteps);
// Returns the newest complete checkpoint whose steps and epoch results are all recorded, for a run with dataRanks
// data-parallel ranks. If their number has changed, only checkpoints between two epochs are usable, because samples are
// then assigned differently. If there is none, returns the newest usable checkpoint for which only the results of its
// last epoch are missing; if there is none either, the newest usable checkpoint.
std::optional<CheckpointThere> newestFor(const std::filesystem::path& runDirectory, const RecordReach& recorded,
                                         std::int64_t dataRanks);
// Returns the complete checkpoint at this path if it belongs to the run directory; empty otherwise.
std::optional<CheckpointThere> checkpointAt(const std::filesystem::path& runDirectory,
                                            const std::filesystem::path& checkpoint);

}  // namespace ringside
