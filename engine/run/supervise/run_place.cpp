// SPDX-License-Identifier: Apache-2.0
#include "run/supervise/run_place.h"

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

}  // namespace

Result<std::string> findResumeAuto(const fs::path& out, std::int64_t dataRanks) {
    if (out.empty()) return Problem{"--resume auto", "needs a run directory", "name the run directory with --out"};
    std::error_code error;
    const fs::path absolute = fs::absolute(out, error).lexically_normal();
    const std::optional<CheckpointThere> checkpoint = newestFor(absolute, recordReach(RunPaths(absolute)), dataRanks);
    return checkpoint ? (absolute / checkpoint->path).string() : std::string();
}

Result<RunPlace> takeDefaultRunPlace(const std::string& name) {
    Result<RunDirectory> made = RunDirectory::createDefault(name);
    if (!made) return made.problem();
    return RunPlace{std::move(made).value(), "", 0};
}

Result<RunPlace> takeRunPlace(const fs::path& out, const std::optional<std::string>& autoResume) {
    const std::string resume = autoResume.value_or("");
    std::error_code error;
    if (!autoResume || !fs::exists(RunPaths(out).config(), error)) {
        Result<RunDirectory> made = RunDirectory::create(out);
        if (!made) return made.problem();
        return RunPlace{std::move(made).value(), resume, 0};
    }
    Result<RunDirectory> reopened = RunDirectory::reopen(out);
    if (!reopened) return reopened.problem();
    RunPlace place{std::move(reopened).value(), resume, 0};
    const RunPaths& paths = place.directory.paths();
    if (resume.empty()) {
        emptyRecord(paths);
        return place;
    }
    const std::optional<CheckpointThere> checkpoint = checkpointAt(paths.directory, resume);
    if (!checkpoint) return Problem{resume, "no longer exists", "start again"};
    place.recordedUs = cutRecord(paths, {checkpoint->step, checkpoint->epochsDone});
    return place;
}

}  // namespace ringside
