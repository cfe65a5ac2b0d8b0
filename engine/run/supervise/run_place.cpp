// SPDX-License-Identifier: Apache-2.0
#include "run/supervise/run_place.h"

#include <optional>

#include "run/read/recorded_config.h"
#include "run/record/reopened_record.h"
#include "run/supervise/outcome.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;

void emptyRecord(const RunPaths& paths) {
    std::error_code ignored;
    for (const fs::path& file :
         {paths.summary(), paths.metrics(), paths.telemetry(), paths.log(), paths.launch(), paths.supervisor()})
        fs::remove(file, ignored);
}

// True if the path is in this run directory. Follows symbolic links.
bool isIn(const fs::path& runDirectory, const fs::path& path) {
    std::error_code error;
    const fs::path relative =
        fs::weakly_canonical(path, error).lexically_relative(fs::weakly_canonical(runDirectory, error));
    return !relative.empty() && *relative.begin() != "..";
}

// Returns the checkpoint of another run from which the run in this directory resumed; empty if there is none.
std::string firstResume(const fs::path& runDirectory) {
    const Result<RunConfig> recorded = readRecordedConfig(RunPaths(runDirectory));
    if (!recorded || isIn(runDirectory, recorded.value().training.resume)) return {};
    return recorded.value().training.resume;
}

}  // namespace

Result<std::string> findResumeAuto(const fs::path& out, std::int64_t dataRanks) {
    if (out.empty()) return Problem{"--resume auto", "needs a run directory", "name the run directory with --out"};
    std::error_code error;
    const fs::path absolute = fs::absolute(out, error).lexically_normal();
    const std::optional<StoredCheckpoint> checkpoint =
        newestUsableCheckpoint(absolute, readRecordedProgress(RunPaths(absolute)), dataRanks);
    return checkpoint ? (absolute / checkpoint->path).string() : firstResume(absolute);
}

Result<RunDirectory> openRun(const RunConfig& config, const fs::path& out, bool autoResume, std::int64_t& runStartUs) {
    if (out.empty()) return RunDirectory::createDefault(config.name);
    std::error_code error;
    if (!autoResume || !fs::exists(RunPaths(out).config(), error)) return RunDirectory::create(out);
    Result<RunDirectory> reopened = RunDirectory::reopen(out);
    if (!reopened) return reopened;
    const RunPaths& paths = reopened.value().paths();
    const std::string& resume = config.training.resume;
    const bool isOfThisRun = !resume.empty() && isIn(paths.directory, resume);
    if (!isOfThisRun) {
        emptyRecord(paths);
        return reopened;
    }
    const std::optional<StoredCheckpoint> checkpoint = checkpointAt(paths.directory, resume);
    if (!checkpoint) return Problem{resume, "no longer exists", "start the run again"};
    runStartUs -= truncateRecord(paths, {checkpoint->step, checkpoint->epochsDone});
    return reopened;
}

}  // namespace ringside
