// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "comm/communicator.h"
#include "telemetry/events/events.h"

namespace ringside {

// Summarizes the traffic on a rank's connections to other hosts: first after kFirstUs, then every kEveryUs.
//
// On a busy computer, bytes are in flight for longer than the link needs, because sender, receiver or kernel wait for a
// CPU. The reported time is therefore the time that the bytes need at the highest rate of all parts of the interval,
// which are kPartUs long. A narrow link is narrow in every part.
class LinkWatch {
  public:
    static constexpr std::int64_t kFirstUs = 1'000'000;
    static constexpr std::int64_t kEveryUs = 5'000'000;
    static constexpr std::int64_t kPartUs = 200'000;
    // Shortest measurable time with bytes in flight; the system's clock is too coarse for less.
    static constexpr std::int64_t kMinBusyUs = 20'000;
    static constexpr std::size_t kMaxPeers = 256;  // maximum number of reported peers, in rank order

    // function that returns Communicator::links(); called once in each part of an interval
    using Readings = std::function<std::vector<LinkStatistics>()>;

    explicit LinkWatch(int rank) : m_rank(rank) {}
    // Returns the traffic since the last summary if one is due at `nowUs`. Always empty if all ranks are on one host.
    std::optional<RankLinks> takeSummary(std::int64_t nowUs, const Readings& readings);

  private:
    static RankLinks trafficSince(const std::vector<LinkStatistics>& before, const std::vector<LinkStatistics>& now);
    void beginInterval(std::int64_t nowUs, std::int64_t lengthUs, std::vector<LinkStatistics> now);
    void measureRates(const RankLinks& part);
    RankLinks summary(const std::vector<LinkStatistics>& now) const;

    int m_rank;
    std::vector<LinkStatistics> m_before;     // counters of the links at the begin of the interval
    std::vector<LinkStatistics> m_partBegin;  // counters of the links at the begin of the current part
    std::map<int, double> m_fastest;          // highest rate measured in a part, by peer, in bytes per microsecond
    std::optional<std::int64_t> m_sinceUs;
    std::int64_t m_partDueUs = 0;
    std::int64_t m_dueUs = 0;
};

}  // namespace ringside
