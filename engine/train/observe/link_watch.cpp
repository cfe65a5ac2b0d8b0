// SPDX-License-Identifier: Apache-2.0
#include "train/observe/link_watch.h"

#include <algorithm>
#include <utility>

namespace ringside {

RankLinks LinkWatch::since(const std::vector<LinkStatistics>& before, const std::vector<LinkStatistics>& now) {
    RankLinks told;
    for (const LinkStatistics& link : now) {
        const auto earlier = std::ranges::find(before, link.peer, &LinkStatistics::peer);
        const LinkStatistics from = earlier == before.end() ? LinkStatistics{} : *earlier;
        told.peer.push_back(link.peer);
        told.roundTripUs.push_back(link.roundTripUs);
        told.bytes.push_back(std::max<std::int64_t>(link.bytes - from.bytes, 0));
        told.busyUs.push_back(std::max<std::int64_t>(link.busyUs - from.busyUs, 0));
    }
    return told;
}

std::optional<RankLinks> LinkWatch::look(std::int64_t nowUs, const Readings& readings) {
    if (nowUs < m_dueUs) return {};
    std::vector<LinkStatistics> now = readings();
    std::ranges::sort(now, {}, &LinkStatistics::peer);
    if (now.size() > kMostPeers) now.resize(kMostPeers);
    m_dueUs = nowUs + (m_sinceUs ? kEveryUs : kFirstUs);
    const std::vector<LinkStatistics> before = std::exchange(m_before, std::move(now));
    const std::optional<std::int64_t> sinceUs = std::exchange(m_sinceUs, nowUs);
    if (!sinceUs || m_before.empty() || nowUs <= *sinceUs) return {};
    RankLinks told = since(before, m_before);
    told.rank = m_rank;
    told.lengthUs = nowUs - *sinceUs;
    told.timeUs = nowUs;
    return told;
}

}  // namespace ringside
