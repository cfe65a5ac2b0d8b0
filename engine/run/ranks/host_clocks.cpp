// SPDX-License-Identifier: Apache-2.0
#include "run/ranks/host_clocks.h"

#include <algorithm>
#include <utility>

#include "launch/wire/greeting.h"

namespace ringside {

HostClocks::HostClocks(std::span<const int> hosts, std::int64_t runStartUs) : m_runStartUs(runStartUs) {
    for (std::size_t rank = 0; rank < hosts.size(); ++rank) add(static_cast<int>(rank), hosts[rank]);
}

void HostClocks::add(int rank, int host) {
    if (host == 0) return;
    std::vector<int>& ranks = m_hosts[host].ranks;
    if (std::ranges::find(ranks, rank) == ranks.end()) ranks.push_back(rank);
    m_queryCount = 0;
    m_nextQueryUs = 0;
}

std::vector<HostClocks::Query> HostClocks::queries(std::int64_t nowUs) {
    if (m_hosts.empty() || nowUs < m_nextQueryUs) return {};
    m_nextQueryUs = nowUs + (++m_queryCount < kInitialQueries ? kInitialIntervalUs : kIntervalUs);
    m_isFresh = false;
    std::vector<Query> queries;
    for (const auto& [number, host] : m_hosts) {
        TimeQuery query{nowUs};
        if (const auto difference = host.clock.at(nowUs)) query.zeroUs = m_runStartUs + difference->offsetUs;
        for (const int rank : host.ranks) queries.push_back({rank, encodeTimeQuery(query)});
    }
    return queries;
}

void HostClocks::addReading(int rank, const ClockReading& reading) {
    for (auto& [number, host] : m_hosts) {
        if (std::ranges::find(host.ranks, rank) != host.ranks.end()) host.clock.add(reading);
    }
    m_isFresh = true;
}

std::vector<HostClock> HostClocks::clocksToReport(std::int64_t nowUs) {
    if (m_queryCount < kInitialQueries || !m_isFresh || nowUs < m_nextReportUs) return {};
    std::vector<HostClock> news;
    for (auto& [number, host] : m_hosts) {
        const auto now = host.clock.at(nowUs);
        if (!now) continue;
        if (!host.firstOffsetUs) host.firstOffsetUs = now->offsetUs;
        news.push_back({.rank = host.ranks.front(),
                        .offsetUs = now->offsetUs,
                        .movedUs = now->offsetUs - *host.firstOffsetUs,
                        .errorUs = now->errorUs,
                        .roundTripUs = now->roundTripUs,
                        .driftPpm = now->drift * 1e6,
                        .timeUs = nowUs - m_runStartUs});
    }
    if (!news.empty()) m_nextReportUs = nowUs + kReportIntervalUs;
    return news;
}

}  // namespace ringside
