// SPDX-License-Identifier: Apache-2.0
#include "run/prepare/experiment_file.h"

#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/json/json.h"
#include "base/system/files.h"
#include "run/checkpoint/checkpoint_manifest.h"
#include "run/prepare/resume_point.h"
#include "run/read/recorded_config.h"

namespace ringside {
namespace {

constexpr std::size_t kMaxExperimentBytes = 16U << 20;

Result<Json> readStandardInput() {
    std::string text;
    std::array<char, 1U << 16> buffer;
    for (;;) {
        const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            return Problem{"standard input", "cannot be read (" + errnoText(errno) + ")",
                           "give the path of an experiment file instead of -"};
        if (got == 0) return parseJson(text, "standard input", kMaxExperimentBytes);
        text.append(buffer.data(), static_cast<std::size_t>(got));
        if (text.size() > kMaxExperimentBytes) return parseJson(text, "standard input", kMaxExperimentBytes);
    }
}

Result<Json> readRunDirectory(const std::string& directory) {
    const Result<RunPaths> paths = openRunDirectory(directory);
    return paths ? readRecordedJson(paths.value()) : Result<Json>(paths.problem());
}

Result<Experiment> readExperiment(const std::string& source, Problems& all) {
    Experiment experiment;
    experiment.baseDirectory = std::filesystem::current_path();
    if (source.empty()) return experiment;
    const bool isDirectory = isRecordedExperiment(source);
    const std::filesystem::path path = std::filesystem::absolute(source);
    if (source != "-") experiment.baseDirectory = isDirectory ? path : path.parent_path();
    const Result<Json> json = source == "-" ? readStandardInput()
                              : isDirectory ? readRunDirectory(source)
                                            : readJsonFile(source, kMaxExperimentBytes);
    if (!json) return json.problem();
    const Result<RunConfig> config = RunConfig::fromJson(json.value(), &all);
    if (!config) return config.problem();
    experiment.config = config.value();
    return experiment;
}

}  // namespace

Result<Experiment> loadExperiment(const std::string& source, const std::vector<std::string>& assignments,
                                  Problems& all) {
    Result<Experiment> experiment = readExperiment(source, all);
    if (!experiment) {
        if (all.empty()) all.push_back(experiment.problem());
        return experiment;
    }
    for (const std::string& assignment : assignments) {
        for (const Problem& problem : experiment.value().config.set(assignment)) all.push_back(problem);
    }
    if (!all.empty()) return all.front();
    return experiment;
}

bool isRecordedExperiment(const std::string& source) {
    std::error_code ignored;
    return source != "-" && std::filesystem::is_directory(source, ignored);
}

Result<std::string> findResumedExperiment(const std::filesystem::path& resumed) {
    std::error_code ignored;
    std::filesystem::path path = std::filesystem::absolute(resumed).lexically_normal();
    if (!path.has_filename()) path = path.parent_path();  // removes the slash at the end of the path
    const bool isDirectory = std::filesystem::is_directory(path, ignored);
    if (isDirectory && openRunDirectory(path)) return path.string();
    const std::filesystem::path checkpoints = isDirectory ? path.parent_path() : path.parent_path().parent_path();
    if (checkpoints.filename() == kCheckpointsName && openRunDirectory(checkpoints.parent_path()))
        return checkpoints.parent_path().string();
    if (!isDirectory || !findCheckpoint(path)) return std::string();
    return Problem{"--resume",
                   "is " + resumed.string() +
                       ", and there is no config.json or telemetry.jsonl beside its checkpoints, so its experiment is "
                       "not known",
                   "give the experiment file as CONFIG, too"};
}

}  // namespace ringside
