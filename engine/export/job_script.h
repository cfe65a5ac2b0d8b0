// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors/result.h"
#include "base/text/named_choice.h"
#include "config/run_config.h"

namespace ringside {

// Launchers for which jobScript() can write a script.
enum class JobLauncher : std::uint8_t { kSlurm, kPbs, kTorchrun, kMpirun, kSsh };
constexpr std::array<std::string_view, 5> namesOf(JobLauncher) {
    return {"slurm", "pbs", "torchrun", "mpirun", "ssh"};
}

// Requirements of a job on a cluster, in addition to the experiment.
struct JobRequest {
    RunConfig config;                      // experiment after the assignments
    std::filesystem::path experiment;      // absolute path of the experiment file; empty: the built-in experiment
    std::vector<std::string> assignments;  // values of --set, each A.B=VALUE
    std::filesystem::path worker;          // absolute path of ringside-worker
    std::int64_t nodes = 1;
    std::int64_t minutes = 60;       // wall time limit of the job, in minutes
    std::int64_t seeds = 1;          // number of runs; above 1, the job is an array with training.seed = 0, 1, ...
    std::vector<std::string> hosts;  // ssh only: one host name per node
};

// time before the limit at which a job saves a checkpoint and requests a restart
inline constexpr std::int64_t kSaveSeconds = 120;

// Returns a commented job script. Returns a problem if the ranks cannot be divided evenly among the nodes, if several
// seeds are requested from a launcher without job arrays, or if a number is out of range.
Result<std::string> jobScript(JobLauncher launcher, const JobRequest& request);

}  // namespace ringside
