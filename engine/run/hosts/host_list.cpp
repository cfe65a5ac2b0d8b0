// SPDX-License-Identifier: Apache-2.0
#include "run/hosts/host_list.h"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <system_error>
#include <utility>

namespace ringside {
namespace {

constexpr int kMaxRanksOnHosts = 64;

}  // namespace

Result<std::vector<HostRanks>> parseHosts(const std::string& list) {
    std::vector<HostRanks> hosts;
    std::istringstream in(list);
    int ranks = 0;
    for (std::string entry; std::getline(in, entry, ',');) {
        HostRanks host{entry.substr(0, entry.find(':')), 1};
        const std::string number = entry.find(':') == std::string::npos ? "1" : entry.substr(entry.find(':') + 1);
        const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), host.ranks);
        const bool fine = error == std::errc{} && end == number.data() + number.size() && host.ranks > 0 &&
                          host.ranks <= kMaxRanksOnHosts && !host.name.empty() && host.name.front() != '-';
        if (!fine)
            return Problem{"--hosts", "has \"" + entry + "\"", "write HOST:RANKS,HOST:RANKS, as in node1:4,node2:4"};
        ranks += host.ranks;
        hosts.push_back(host);
    }
    if (hosts.empty() || ranks > kMaxRanksOnHosts)
        return Problem{"--hosts", "names " + std::to_string(ranks) + " ranks", "give all hosts together 1 to 64 ranks"};
    return hosts;
}

Result<std::vector<std::string>> parseShell(const std::string& text) {
    std::vector<std::string> words;
    std::istringstream in(text);
    for (std::string word; in >> word;) words.push_back(word);
    if (text.find("{command}") == std::string::npos)
        return Problem{"--shell", "is \"" + text + "\", without the placeholder {command}",
                       std::string("write the remote shell as in ") + kDefaultShell};
    return words;
}

int countRanks(std::span<const HostRanks> hosts) {
    int ranks = 0;
    for (const HostRanks& host : hosts) ranks += host.ranks;
    return ranks;
}

NextHosts chooseNextHosts(std::span<const HostRanks> hosts, std::vector<HostRanks> responding, std::int64_t minRanks) {
    if (responding.size() == hosts.size()) return {std::move(responding), ""};
    std::string away;
    for (const HostRanks& host : hosts) {
        const bool isThere =
            std::ranges::any_of(responding, [&](const HostRanks& one) { return one.name == host.name; });
        if (!isThere) away += (away.empty() ? "" : ", ") + host.name;
    }
    const bool hasFirst = !responding.empty() && responding.front().name == hosts.front().name;
    const int ranks = countRanks(responding);
    if (hasFirst && minRanks > 0 && ranks >= minRanks)
        return {std::move(responding),
                "without " + away + ": " + std::to_string(ranks) +
                    " ranks continue, and the samples are assigned to them from the last complete "
                    "epoch"};
    return {{},
            "waiting for a response from " + away +
                (hasFirst ? "" : " (" + hosts.front().name + " writes the run directory)") +
                "; press Ctrl+C to cancel"};
}

}  // namespace ringside
