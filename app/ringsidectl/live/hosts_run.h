// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/errors/result.h"

namespace ringside {

inline constexpr const char* kDefaultShell = "ssh -T -o BatchMode=yes {host} {command}";

// Ranks on several hosts for those without a scheduler: one ringside-worker through a remote shell for each.
struct HostsRun {
    struct Host {
        std::string name;
        int ranks = 1;
    };
    std::vector<Host> hosts;             // rank 0 runs on the first
    std::vector<std::string> shell;      // words; {host} and {command} are filled in
    std::filesystem::path worker;        // the same on all hosts
    std::vector<std::string> arguments;  // of every rank: the experiment, --set ..., --out DIR
    std::string resume;                  // --resume of the first start; empty: none
    std::int64_t maxRestarts = 0;        // all ranks from the last checkpoint, after one failed
    std::int64_t minRanks = 0;           // so few go on where hosts stay away; 0: only all
};

// "node1:4,node2" (one rank where no number is).
Result<std::vector<HostsRun::Host>> parseHosts(const std::string& list);
Result<std::vector<std::string>> parseShell(const std::string& text);

// Until all ranks are gone for good; rank 0's exit code. A signal asks them to stop together, a second one ends them.
// Throws IoError.
int runOnHosts(const HostsRun& run);

}  // namespace ringside
