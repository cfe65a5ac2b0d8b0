// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/errors/result.h"
#include "launch/layout/launcher_kind.h"

namespace ringside {

// Information about this process from a launcher's PMI or PMIx server. Empty members are not known.
struct ServerLayout {
    std::optional<int> rank;
    std::optional<int> worldSize;
    std::optional<int> localRank;
    std::optional<int> localSize;
};

// Inputs from which the launcher is detected. Passed as arguments, so that each launcher can be tested with a table of
// inputs.
struct LaunchSources {
    std::map<std::string, std::string> environment;
    std::vector<std::string> nodeFile;  // lines of the file whose path is in the variable PBS_NODEFILE
    std::string hostName;               // name of this host
    ServerLayout server = {};           // information from the server that serverNeededBy() returns

    // Returns a variable's value. An empty value counts as unset, as in PyTorch.
    std::optional<std::string> find(const std::string& name) const;
    bool has(const std::string& name) const { return find(name).has_value(); }
};

// Command-line options of the rank layout; each overrides the environment.
struct LaunchOptions {
    std::optional<int> rank;
    std::optional<int> worldSize;
    std::optional<int> localRank;
    std::string master;  // address of rank 0: HOST or HOST:PORT
};

// This process's rank and the address of the rendezvous.
struct LaunchLayout {
    LauncherKind launcher = LauncherKind::kAlone;
    int rank = 0;
    int worldSize = 1;
    int localRank = 0;
    int localSize = 0;                     // number of ranks on this host; 0: unknown
    std::vector<std::string> masterHosts;  // addresses of rank 0's host, best first
    int masterPort = 0;  // port on which rank 0 listens; 0: the port is derived from the job identifier
    // Identifier of the start: equal on all ranks of one start, different for another start; empty: the launcher
    // provides none, and exchangeJob() creates one.
    std::string job;
    int restart = 0;                 // number of times that the launcher has restarted the group of ranks
    std::vector<std::string> hosts;  // host of each rank; empty if the launcher does not provide it
    std::vector<std::string> found;  // variables and options that were read, such as "RANK=3"

    bool isAlone() const { return worldSize == 1; }
    bool isOneHost() const { return localSize == worldSize; }
    // Returns text such as "rank 3 of 8 (local rank 1 of 4) by torchrun: RANK=3, WORLD_SIZE=8, ..."
    std::string text() const;
    std::string hostOf(int rank) const;  // returns the host of the rank; empty if unknown
};

// Server of the launcher that this process has to query, because the environment is not sufficient.
enum class ServerKind { kNone, kPmi, kPmix };
ServerKind serverNeededBy(const LaunchOptions& options, const LaunchSources& sources);

// Detects the launcher and returns the rank layout. The order is: options, torchrun, Open MPI, srun, MPICH and Intel
// MPI, RANK and WORLD_SIZE alone, PMIx, a PBS node file (which needs --rank), and else a single rank. Returns a
// problem that names the variables if one is missing, a rank is out of range, or the environment describes a rank of an
// unknown launcher.
Result<LaunchLayout> findLaunchLayout(const LaunchOptions& options, const LaunchSources& sources);

// Returns a problem if RANK or WORLD_SIZE, left over in the shell or set by hand, contradicts the launcher.
std::optional<Problem> launchConflict(const LaunchLayout& layout, const LaunchSources& sources);

// Expands a Slurm host list such as "node[07-09,12],gpu3". Empty if the list cannot be parsed or has more than 65,536
// hosts.
std::vector<std::string> expandHostList(const std::string& list);

// Expands Slurm's tasks per node: "2(x3),1" to 2 2 2 1. Empty if the text cannot be parsed.
std::vector<int> expandTasksPerNode(const std::string& text);

}  // namespace ringside
