// SPDX-License-Identifier: Apache-2.0
#include "run/supervise/outcome.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "base/text/number_text.h"
#include "run/checkpoint/checkpoint_manifest.h"

namespace ringside {
namespace {

// True if the rank exited with this code, or if its user ended it at the same moment.
bool exitedWith(const RankReport& rank, ExitCode code) {
    return rank.end && !rank.end->signalled && (rank.end->left || rank.end->code == static_cast<int>(code));
}

bool hasFinished(const RankReport& rank) {
    return exitedWith(rank, ExitCode::kOk) && rank.reportedStage == RankStage::kFinished;
}

bool hasStopped(const RankReport& rank) {
    return exitedWith(rank, ExitCode::kStopped) && rank.reportedStage == RankStage::kStopped;
}

// Returns a text that names the last checkpoint, such as "; the last checkpoint is checkpoints/step-00000012", or
// reports that no checkpoint was written.
std::string lastCheckpointText(const RunEvidence& run) {
    return run.checkpoint ? "; the last checkpoint is " + run.checkpoint->path : "; no checkpoint was written";
}

RunEnded failed(ExitCode code, int rank, const std::string& text) {
    RunEnded end;
    end.state = RunOutcome::kFailed;
    end.exitCode = static_cast<int>(code);
    end.firstFailedRank = rank;
    end.verdict = text;
    return end;
}

RunEnded stopped(const RunEvidence& run, const std::string& more) {
    RunEnded end;
    end.state = RunOutcome::kStopped;
    end.exitCode = static_cast<int>(ExitCode::kStopped);
    end.verdict = "stopped by request after " + std::to_string(run.steps) + " of " + std::to_string(run.plannedSteps) +
                  " steps" + more;
    return end;
}

RunEnded finished(const RunEvidence& run) {
    RunEnded end;
    end.state = RunOutcome::kFinished;
    end.verdict = "finished " + counted(run.plannedEpochs, "epoch") + " in " + counted(run.steps, "step");
    return end;
}

// Returns the outcome if all ranks have reported "finished". The run has finished only if the checkpoint of the last
// planned step and epoch is complete.
RunEnded provenFinish(const RunEvidence& run) {
    if (!run.checkpoint) {
        return failed(ExitCode::kBadConfiguration, -1,
                      "every rank finished, but the run directory holds no complete checkpoint: was it deleted, or the "
                      "directory moved?");
    }
    if (run.checkpoint->step == run.plannedSteps && run.checkpoint->epochsDone == run.plannedEpochs) {
        return finished(run);
    }
    return failed(ExitCode::kInternal, -1,
                  "every rank reports that it has finished, but the newest checkpoint " + run.checkpoint->path +
                      " is of epoch " + std::to_string(run.checkpoint->epochsDone) + " and step " +
                      std::to_string(run.checkpoint->step) + ", not of epoch " + std::to_string(run.plannedEpochs) +
                      " and step " + std::to_string(run.plannedSteps));
}

RunEnded provenStop(const RunEvidence& run) {
    if (run.checkpoint && run.checkpoint->step == run.steps) return stopped(run, "");
    return failed(ExitCode::kBadConfiguration, -1,
                  "stopped by request after step " + std::to_string(run.steps) +
                      ", but its weights are not in the run directory" + lastCheckpointText(run));
}

// Returns the failure of the first rank that ended without reporting "finished" or "stopped".
RunEnded missingFinalReport(const RunEvidence& run) {
    const RankReport* first = nullptr;
    for (const RankReport& rank : run.ranks) {
        if (hasFinished(rank) || hasStopped(rank)) continue;
        if (first == nullptr || rank.endOrder < first->endOrder) first = &rank;
    }
    if (first == nullptr) {
        return failed(ExitCode::kInternal, -1,
                      "some ranks finished their training and other ranks stopped early: the ranks did not agree "
                      "on the end of the run" +
                          lastCheckpointText(run));
    }
    const std::string how = first->end ? first->end->text() : "did not end";
    const std::string reportedStage =
        first->reportedStage ? "while it was " + textOf(*first->reportedStage) : "before its first report";
    return failed(ExitCode::kRankDied, first->rank,
                  "rank " + std::to_string(first->rank) + " " + how + " " + reportedStage +
                      ", without reporting that it had finished" + lastCheckpointText(run));
}

RunEnded withoutDirectory(const RunEvidence& run) {
    const bool saved = run.checkpoint && run.checkpoint->step == run.steps;
    return failed(ExitCode::kBadConfiguration, -1,
                  run.directoryLost + (saved ? "; the weights after step " + std::to_string(run.steps) +
                                                   " were saved again, in " + run.checkpoint->path
                                       : run.checkpoint ? lastCheckpointText(run)
                                                        : "; the checkpoints of the run were deleted with it"));
}

using Accept = std::function<bool(const std::filesystem::path& directory, const CheckpointManifest& manifest)>;

std::optional<StoredCheckpoint> newestUpTo(const std::filesystem::path& runDirectory, std::int64_t maxSteps,
                                           const Accept& accept = {}) {
    std::optional<StoredCheckpoint> newest;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(runDirectory / kCheckpointsName, error)) {
        const std::filesystem::path file = entry.path() / kManifestName;
        const Result<Json> json = readJsonFile(file);
        if (!json) continue;
        const Result<CheckpointManifest> manifest = CheckpointManifest::fromJson(json.value(), file.string());
        if (!manifest || manifest.value().step > maxSteps) continue;
        if (newest && manifest.value().step <= newest->step) continue;
        if (accept && !accept(entry.path(), manifest.value())) continue;
        const bool complete = std::ranges::all_of(manifest.value().files, [&](const CheckpointManifest::File& listed) {
            std::error_code missing;
            const auto bytes = std::filesystem::file_size(entry.path() / listed.name, missing);
            return !missing && static_cast<std::int64_t>(bytes) == listed.bytes;
        });
        if (!complete) continue;
        newest = StoredCheckpoint{std::filesystem::path(kCheckpointsName) / entry.path().filename(),
                                  manifest.value().step, manifest.value().epochsDone};
    }
    return newest;
}

}  // namespace

RunEnded outcomeOf(const RunEvidence& run) {
    if (run.fault) return failed(run.fault->code, run.fault->firstFailedRank, run.fault->text);
    if (!run.directoryLost.empty()) return withoutDirectory(run);
    if (!run.ranks.empty() && std::ranges::all_of(run.ranks, hasFinished)) return provenFinish(run);
    if (!run.ranks.empty() && std::ranges::all_of(run.ranks, hasStopped)) return provenStop(run);
    if (run.stopRequested && run.nothingTrained) return stopped(run, "");
    if (run.stopRequested && run.cutShort) {
        return stopped(run,
                       "; the ranks had to be terminated, the last weights were not saved" + lastCheckpointText(run));
    }
    return missingFinalReport(run);
}

RunEnded outcomeIfKilledNow(const RunEvidence& run) {
    const bool isSaved = run.checkpoint && run.checkpoint->step == run.steps;
    return stopped(run,
                   isSaved ? "; the weights are saved in " + run.checkpoint->path
                           : "; the launcher ended the run before the last steps were saved" + lastCheckpointText(run));
}

std::optional<StoredCheckpoint> newestRecordedCheckpoint(const std::filesystem::path& runDirectory,
                                                         std::int64_t recordedSteps) {
    const std::optional<StoredCheckpoint> recorded = newestUpTo(runDirectory, recordedSteps);
    return recorded ? recorded : newestCheckpoint(runDirectory);
}

std::optional<StoredCheckpoint> newestUsableCheckpoint(const std::filesystem::path& runDirectory,
                                                       const RecordedProgress& recorded, std::int64_t dataRanks) {
    const Accept fits = [dataRanks](const std::filesystem::path&, const CheckpointManifest& manifest) {
        return !manifest.isInsideEpoch() || static_cast<std::int64_t>(manifest.planHashes.size()) == dataRanks;
    };
    const Accept isWhole = [&](const std::filesystem::path& directory, const CheckpointManifest& manifest) {
        const bool hasResults = manifest.step < recorded.steps || manifest.epochsDone <= recorded.epochs;
        return hasResults && fits(directory, manifest);
    };
    if (const auto whole = newestUpTo(runDirectory, recorded.steps, isWhole)) return whole;
    if (const auto steps = newestUpTo(runDirectory, recorded.steps, fits)) return steps;
    return newestUpTo(runDirectory, std::numeric_limits<std::int64_t>::max(), fits);
}

std::optional<StoredCheckpoint> checkpointAt(const std::filesystem::path& runDirectory,
                                             const std::filesystem::path& checkpoint) {
    return newestUpTo(runDirectory, std::numeric_limits<std::int64_t>::max(),
                      [&](const std::filesystem::path& directory, const CheckpointManifest&) {
                          std::error_code error;
                          return std::filesystem::equivalent(directory, checkpoint, error) && !error;
                      });
}

std::optional<StoredCheckpoint> newestCheckpoint(const std::filesystem::path& runDirectory) {
    return newestUpTo(runDirectory, std::numeric_limits<std::int64_t>::max());
}
}  // namespace ringside
