// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/run_config.h"

namespace ringside {

struct Experiment {
    RunConfig config;
    std::filesystem::path baseDirectory;  // where relative paths in it start
};

// Reads an experiment: a file, "-" for standard input, or empty for the built-in one; then applies the --set
// assignments. Every problem found goes to `all`.
Result<Experiment> loadExperiment(const std::string& source, const std::vector<std::string>& assignments,
                                  Problems& all);

}  // namespace ringside
