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

// Reads an experiment and applies the assignments of the option --set. source: a file, a run directory, whose recorded
// experiment is read (readRecordedJson()), "-" for standard input, or empty for the built-in experiment. Adds each
// problem to `all` and returns the first problem.
Result<Experiment> loadExperiment(const std::string& source, const std::vector<std::string>& assignments,
                                  Problems& all);

// True if `source` of loadExperiment() is a run directory.
bool isRecordedExperiment(const std::string& source);

// Returns the `source` with which loadExperiment() reads the experiment of the run that wrote a checkpoint. resumed: a
// run directory, a checkpoint in its directory `checkpoints`, or a file of such a checkpoint. Returns an empty text for
// any other path, such as a weights file from elsewhere. Returns a problem if `resumed` is a checkpoint, but its run
// has recorded no experiment.
Result<std::string> findResumedExperiment(const std::filesystem::path& resumed);

}  // namespace ringside
