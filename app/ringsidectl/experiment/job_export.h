// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "config/run_config.h"
#include "export/job_script.h"

namespace ringside {

// Resources that a job script requests from a launcher.
struct JobShape {
    std::int64_t nodes = 1;
    std::int64_t minutes = 60;
    std::int64_t seeds = 1;
    std::vector<std::string> hosts;
};

// Writes a script that starts the experiment's ranks with a launcher, and prints instructions for its use. Returns the
// exit code.
int exportJob(JobLauncher launcher, const std::string& experiment, const std::vector<std::string>& assignments,
              const RunConfig& config, const JobShape& shape, const std::filesystem::path& out);

}  // namespace ringside
