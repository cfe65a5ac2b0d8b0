// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/errors/result.h"

namespace ringside {

inline constexpr const char* kDefaultShell = "ssh -T -o BatchMode=yes {host} {command}";

// Run on several hosts without a scheduler. Each rank is a ringside-worker that is started through a remote shell.
struct HostsRun {
    struct Host {
        std::string name;
        int ranks = 1;
    };
    std::vector<Host> hosts;             // hosts of the ranks; rank 0 runs on the first
    std::vector<std::string> shell;      // command and arguments of the remote shell; {host} and {command} are replaced
    std::filesystem::path worker;        // path of the worker, the same on all hosts
    std::vector<std::string> arguments;  // arguments of every rank: the experiment, --set ..., --out DIR
    std::string resume;                  // value of --resume at the first start; empty if none
    std::int64_t maxRestarts = 0;        // maximum number of restarts from the last checkpoint after a failure
    std::int64_t minRanks = 0;           // minimum number of ranks after the loss of hosts; 0: all
};

// Parses "node1:4,node2"; a host without a number has one rank. At most 64 ranks.
Result<std::vector<HostsRun::Host>> parseHosts(const std::string& list);
// Splits a shell command into the command and its arguments. Returns a problem if {command} is missing.
Result<std::vector<std::string>> parseShell(const std::string& text);

// Blocks until all ranks have ended and no restart follows. Returns rank 0's exit code. The first signal stops all
// ranks together, the second kills them. Throws IoError.
int runOnHosts(const HostsRun& run);

}  // namespace ringside
