// SPDX-License-Identifier: Apache-2.0
#include "experiment/job_export.h"

#include <iostream>

#include "base/system/files.h"
#include "base/system/resource_directory.h"
#include "experiment/experiment_file.h"
#include "export/job_script.h"

namespace ringside {

int exportJob(JobLauncher launcher, const std::string& experiment, const std::vector<std::string>& assignments,
              const RunConfig& config, const JobShape& shape, const std::filesystem::path& out) {
    if (experiment == "-")
        return reportProblems({{"CONFIG", "is standard input, which the ranks cannot read", "name a file"}});
    if (const Problems problems = config.validateForTraining(); !problems.empty()) return reportProblems(problems);
    JobRequest request;
    request.config = config;
    if (!experiment.empty()) request.experiment = std::filesystem::absolute(experiment).lexically_normal();
    request.assignments = assignments;
    request.worker = programDirectory() / "ringside-worker";
    request.nodes = shape.nodes;
    request.minutes = shape.minutes;
    request.seeds = shape.seeds;
    request.hosts = shape.hosts;
    const Result<std::string> script = jobScript(launcher, request);
    if (!script) return reportProblems({script.problem()});
    writeFileAtomically(out, script.value());
    std::cout << "script: " << out.string() << "\nthe first lines of the script explain how to use it\n";
    return 0;
}

}  // namespace ringside
