// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/run_config.h"

namespace ringside {

// Experiment and the directory that its relative paths refer to.
struct Experiment {
    RunConfig config;
    std::filesystem::path baseDirectory;
};

// Reads an experiment and applies the assignments of the option --set. source: a file, "-" for standard input, or empty
// for the built-in experiment. Adds each problem to `all` and returns the first problem.
Result<Experiment> loadExperiment(const std::string& source, const std::vector<std::string>& assignments,
                                  Problems& all);

}  // namespace ringside
