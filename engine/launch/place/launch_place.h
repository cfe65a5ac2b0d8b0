// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/errors/result.h"

namespace ringside {

// What a process can know of how it was started; passed in, so that every launcher can be tested as a table.
struct LaunchSources {
    std::map<std::string, std::string> environment;
    std::vector<std::string> nodeFile;  // lines of the file that PBS_NODEFILE names
    std::string hostName;               // of this host

    // An empty value counts as unset, as PyTorch has it.
    std::optional<std::string> find(const std::string& name) const;
    bool has(const std::string& name) const { return find(name).has_value(); }
};

// What the command line says of the rank; wins over the environment.
struct LaunchOptions {
    std::optional<int> rank;
    std::optional<int> worldSize;
    std::optional<int> localRank;
    std::string master;  // HOST or HOST:PORT
};

// Which rank this process is, and where the others meet.
struct LaunchPlace {
    std::string launcher;  // torchrun | env:// | Open MPI | PMI | Slurm | PBS | by hand | alone
    int rank = 0;
    int worldSize = 1;
    int localRank = 0;
    int localSize = 0;                     // 0: unknown
    std::vector<std::string> masterHosts;  // addresses of rank 0's host, best first
    int masterPort = 0;                    // exactly this one; 0: chosen from the job
    std::string job;                       // alike on all ranks of one start, and different for another
    int restart = 0;                       // how often the launcher has started the group again
    std::vector<std::string> hosts;        // of each rank, where the launcher tells; else empty
    std::vector<std::string> found;        // "RANK=3", what it was read from

    bool isAlone() const { return worldSize == 1; }
    bool isOneHost() const { return localSize == worldSize; }
    // "rank 3 of 8 (local rank 1 of 4) by torchrun: RANK=3, WORLD_SIZE=8, ..."
    std::string text() const;
    std::string hostOf(int rank) const;  // empty when not known
};

// In this order: options, torchrun, Open MPI, MPICH and Intel MPI, a Slurm step, a PBS node file (which needs --rank),
// else a single rank. A variable without its partner, a rank beyond the size and two launchers that disagree are
// problems that name the variables.
Result<LaunchPlace> findLaunchPlace(const LaunchOptions& options, const LaunchSources& sources);

// "node[07-09,12],gpu3" to its hosts; empty when it cannot be read. At most 65,536.
std::vector<std::string> expandHostList(const std::string& list);

// "2(x3),1" to 2 2 2 1: Slurm's tasks per node.
std::vector<int> expandTasksPerNode(const std::string& text);

}  // namespace ringside
