// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/errors/result.h"

namespace ringside {

inline constexpr const char* kDefaultShell = "ssh -T -o BatchMode=yes {host} {command}";

// Computer (host) on which ranks of a run are started, and the number of these ranks.
struct HostRanks {
    std::string name;
    int ranks = 1;

    bool operator==(const HostRanks&) const = default;
};

// Parses "node1:4,node2"; a host without a number has one rank. At most 64 ranks.
Result<std::vector<HostRanks>> parseHosts(const std::string& list);
// Splits the command line of a remote shell into words. Returns a problem if the placeholder {command} is missing.
Result<std::vector<std::string>> parseShell(const std::string& text);

// Returns the number of ranks of all hosts.
int countRanks(std::span<const HostRanks> hosts);

// Hosts (computers) on which a run restarts after a failure.
struct NextHosts {
    std::vector<HostRanks> hosts;  // empty: no start is possible yet
    std::string text;              // describes which hosts are missing; empty if none is
};

// Returns the hosts of the next start. If all hosts respond: all hosts. Otherwise: the responding hosts, if the first
// host, which writes the run directory, is one of them and they have at least minRanks ranks together. hosts: hosts of
// the run. responding: hosts that respond, in the same order. minRanks: minimum number of ranks; 0: all.
NextHosts chooseNextHosts(std::span<const HostRanks> hosts, std::vector<HostRanks> responding, std::int64_t minRanks);

}  // namespace ringside
