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

// What one rank left behind: how its process ended, and what it said of itself last.
struct RankReport {
    int rank = 0;
    std::optional<ChildEnd> end;  // empty: the process still lives
    int endOrder = 0;             // 1 = the first that was seen to end
    std::string said;             // its last RankState: finished, stopped, training, ...
};

// A checkpoint that is complete on the disk: all files its manifest lists, with the sizes it lists.
struct CheckpointThere {
    std::string path;  // relative to the run directory
    std::int64_t step = 0;
    std::int64_t epochsDone = 0;
};

// Everything from which it follows how a run ended.
struct RunEvidence {
    std::vector<RankReport> ranks;
    std::int64_t steps = 0;         // done, as far as anybody reported
    std::int64_t plannedSteps = 0;  // when all epochs are done
    std::int64_t plannedEpochs = 0;
    std::optional<CheckpointThere> checkpoint;  // the newest
    bool stopRequested = false;
    bool cutShort = false;         // the ranks were terminated by request: nobody waited for them to save
    bool nothingTrained = false;   // and there was nothing to save yet
    std::string directoryLost;     // why the run had to end though nobody failed; empty: it had not
    std::optional<Verdict> fault;  // found while the run went on
};

// The one place that says how a run ended: state, exit code, first failed rank and verdict. "finished" only where every
// rank said so, ended well, and the checkpoint of the last planned step and epoch is on the disk; "stopped" only where
// every rank said that, or the user had them terminated. Everything else has failed.
RunEnded outcomeOf(const RunEvidence& evidence);

// Outcome of a run whose launcher has asked it to stop and may kill it before the ranks have ended.
RunEnded outcomeIfKilledNow(const RunEvidence& evidence);

// The newest checkpoint of a run directory that is complete; nothing where there is none.
std::optional<CheckpointThere> newestCheckpoint(const std::filesystem::path& runDirectory);
// The newest whose steps are all in the record, for a run that goes on in the same directory: a checkpoint may be on
// the disk before the last steps that led to it were recorded. Where there is only such a one, that.
std::optional<CheckpointThere> newestRecorded(const std::filesystem::path& runDirectory, std::int64_t recordedSteps);
// The newest whose steps and epochs are all in the record, for so many ranks with data: where samples are dealt anew,
// the epoch under way begins again, so that only checkpoints between two epochs will do. Where there is none, one whose
// last epoch's results alone are missing; else the newest.
std::optional<CheckpointThere> newestFor(const std::filesystem::path& runDirectory, const RecordReach& recorded,
                                         std::int64_t dataRanks);
// A complete checkpoint of the run directory with this path.
std::optional<CheckpointThere> checkpointAt(const std::filesystem::path& runDirectory,
                                            const std::filesystem::path& checkpoint);

}  // namespace ringside
