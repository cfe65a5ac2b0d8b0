// SPDX-License-Identifier: Apache-2.0
#include "train/observe/link_watch.h"

#include <algorithm>
#include <utility>

namespace ringside {

RankLinks LinkWatch::trafficSince(const std::vector<LinkStatistics>& before, const std::vector<LinkStatistics>& now) {
    RankLinks links;
    for (const LinkStatistics& link : now) {
        const auto earlier = std::ranges::find(before, link.peer, &LinkStatistics::peer);
        const LinkStatistics from = earlier == before.end() ? LinkStatistics{} : *earlier;
        links.peer.push_back(link.peer);
        links.roundTripUs.push_back(link.roundTripUs);
        links.bytes.push_back(std::max<std::int64_t>(link.bytes - from.bytes, 0));
        links.busyUs.push_back(std::max<std::int64_t>(link.busyUs - from.busyUs, 0));
        links.waitUs.push_back(std::max<std::int64_t>(link.waitUs - from.waitUs, 0));
    }
    return links;
}

// Begins a measuring interval of the given length.
void LinkWatch::beginInterval(std::int64_t nowUs, std::int64_t lengthUs, std::vector<LinkStatistics> now) {
    m_sinceUs = nowUs;
    m_partDueUs = nowUs + kPartUs;
    m_dueUs = nowUs + lengthUs;
    m_fastest.clear();
    m_partBegin = now;
    m_before = std::move(now);
}

void LinkWatch::measureRates(const RankLinks& part) {
    for (std::size_t i = 0; i < part.peer.size(); ++i) {
        const auto busyUs = static_cast<double>(std::max(part.busyUs[i], kMinBusyUs));
        double& fastest = m_fastest[static_cast<int>(part.peer[i])];
        fastest = std::max(fastest, static_cast<double>(part.bytes[i]) / busyUs);
    }
}

// Returns the traffic of the interval, and the time that its bytes would need at the highest measured rate.
RankLinks LinkWatch::summary(const std::vector<LinkStatistics>& now) const {
    RankLinks links = trafficSince(m_before, now);
    for (std::size_t i = 0; i < links.peer.size(); ++i) {
        const double fastest = m_fastest.at(static_cast<int>(links.peer[i]));
        if (fastest <= 0) continue;
        const auto needed = static_cast<std::int64_t>(static_cast<double>(links.bytes[i]) / fastest);
        links.busyUs[i] = std::min(links.busyUs[i], needed);
    }
    return links;
}

std::optional<RankLinks> LinkWatch::takeSummary(std::int64_t nowUs, const Readings& readings) {
    if (nowUs < std::min(m_partDueUs, m_dueUs)) return {};
    std::vector<LinkStatistics> now = readings();
    std::ranges::sort(now, {}, &LinkStatistics::peer);
    if (now.size() > kMaxPeers) now.resize(kMaxPeers);
    if (!m_sinceUs || now.empty()) {
        beginInterval(nowUs, m_sinceUs ? kEveryUs : kFirstUs, std::move(now));
        return {};
    }
    measureRates(trafficSince(m_partBegin, now));
    if (nowUs < m_dueUs) {
        m_partBegin = std::move(now);
        m_partDueUs = nowUs + kPartUs;
        return {};
    }
    RankLinks links = summary(now);
    links.rank = m_rank;
    links.lengthUs = nowUs - *m_sinceUs;
    links.timeUs = nowUs;
    beginInterval(nowUs, kEveryUs, std::move(now));
    return links;
}

}  // namespace ringside
