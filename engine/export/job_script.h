// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/errors/result.h"
#include "config/run_config.h"

namespace ringside {

// What a job asks of a cluster, beside the experiment.
struct JobRequest {
    RunConfig config;                      // with the assignments applied
    std::filesystem::path experiment;      // absolute; empty: the built-in one
    std::vector<std::string> assignments;  // --set A.B=VALUE
    std::filesystem::path worker;          // ringside-worker, absolute
    std::int64_t nodes = 1;
    std::int64_t minutes = 60;       // of wall time
    std::int64_t seeds = 1;          // more: an array of runs, training.seed = 0, 1, ...
    std::vector<std::string> hosts;  // ssh: a host for each node
};

inline constexpr std::int64_t kSaveSeconds = 120;  // before its time limit a job saves and asks to be started again

// A script for `launcher` (slurm, pbs, torchrun, mpirun or ssh), with the reasons in comments. Problems: ranks that do
// not divide evenly over the nodes, an array where the launcher has none.
Result<std::string> jobScript(const std::string& launcher, const JobRequest& request);

// One word for a POSIX shell.
std::string shellWord(const std::string& text);

}  // namespace ringside
