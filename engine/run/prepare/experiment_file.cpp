// SPDX-License-Identifier: Apache-2.0
#include "run/prepare/experiment_file.h"

#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/json/json.h"
#include "base/system/files.h"

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
            return Problem{"standard input", "cannot be read (" + errnoText(errno) + ")", "name a file instead"};
        if (got == 0) return parseJson(text, "standard input", kMaxExperimentBytes);
        text.append(buffer.data(), static_cast<std::size_t>(got));
        if (text.size() > kMaxExperimentBytes) return parseJson(text, "standard input", kMaxExperimentBytes);
    }
}

Result<Experiment> readExperiment(const std::string& source, Problems& all) {
    Experiment experiment;
    experiment.baseDirectory = std::filesystem::current_path();
    if (source.empty()) return experiment;
    if (source != "-") experiment.baseDirectory = std::filesystem::absolute(source).parent_path();
    const Result<Json> json = source == "-" ? readStandardInput() : readJsonFile(source, kMaxExperimentBytes);
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

}  // namespace ringside
