// SPDX-License-Identifier: Apache-2.0
#include "train/devices/rank_cpus.h"

#include <unistd.h>

#include <chrono>
#include <cmath>

#include "base/errors/errors.h"
#include "base/processors/cpu_share.h"
#include "comm/collective_text.h"
#include "comm/socket_store.h"

namespace ringside {
namespace {

std::chrono::milliseconds timeoutOf(const RunConfig& config) {
    return std::chrono::milliseconds(std::llround(config.parallel.timeoutSeconds * 1000));
}

std::string keyOf(int rank) {
    return "cpus/" + std::to_string(rank);
}

}  // namespace

RankCpus::RankCpus(const RankEnvironment& environment, const RunConfig& config, const RankChannels& channels,
                   int cpusOfHost)
    : m_environment(environment), m_config(config), m_channels(channels) {
    if (choiceNamed<DeviceChoice>(environment.device) != DeviceChoice::kCpu || environment.ranksOnHost() < 2 ||
        !channels.store)
        return;
    m_allowed = allowedCpus();
    const std::string text = cpuListText(m_allowed);
    SocketStore store(UniqueFd(::dup(channels.store.get())), timeoutOf(config));
    store.set(keyOf(environment.rank), {text.begin(), text.end()});
    if (static_cast<int>(m_allowed.size()) >= cpusOfHost) m_allowed.clear();
}

void RankCpus::computeShare() {
    if (m_allowed.size() < 2) return;
    const std::string own = cpuListText(m_allowed);
    SocketStore store(UniqueFd(::dup(m_channels.store.get())), timeoutOf(m_config));
    int sharers = 0;
    int place = 0;
    for (int rank = 0; rank < m_environment.worldSize; ++rank) {
        const auto hostOf = [&](int one) {
            return m_environment.hosts.empty() ? 0 : m_environment.hosts[static_cast<std::size_t>(one)];
        };
        if (hostOf(rank) != hostOf(m_environment.rank)) continue;
        if (rank == m_environment.rank) place = sharers;
        std::string shared = own;
        try {
            const std::vector<char> value = rank == m_environment.rank ? std::vector<char>(own.begin(), own.end())
                                                                       : store.get(keyOf(rank), timeoutOf(m_config));
            shared.assign(value.begin(), value.end());
        } catch (const CommError&) {
            throw CommError("rank " + std::to_string(rank) + " did not connect within " +
                                describeDuration(timeoutOf(m_config)) +
                                ": it has not started, has died or cannot be reached; see its log",
                            rank);
        }
        if (shared == own) ++sharers;
    }
    if (sharers < 2) return;
    m_share = shareOfCpus(m_allowed, place, sharers);
    if (static_cast<std::size_t>(m_config.parallel.threadsPerRank) > m_share.size()) m_share.clear();
}

std::string RankCpus::pinThreads() {
    if (m_share.empty() || m_share.size() == m_allowed.size() || !setThreadAffinity(m_share)) return {};
    return "this rank's threads are pinned to CPU " + cpuListText(m_share) + ", its share of CPUs " +
           cpuListText(m_allowed);
}

}  // namespace ringside
