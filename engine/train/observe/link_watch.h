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

// Measures the traffic on a rank's connections to other hosts, and summarizes it for the first time after kFirstUs,
// then every kEveryUs.
//
// On a busy computer, bytes are in flight for longer than the link needs, because the sender, the receiver or the
// kernel waits for a CPU. Therefore the interval is divided into parts of kPartUs. The reported time is the time that
// the bytes would need at the highest rate of any part: only if the link itself is slow, the rate is low in every part.
class LinkWatch {
  public:
    static constexpr std::int64_t kFirstUs = 1'000'000;
    static constexpr std::int64_t kEveryUs = 5'000'000;
    static constexpr std::int64_t kPartUs = 200'000;
    // Lower bound of the time with bytes in flight from which a rate is computed, in microseconds: shorter times are
    // inexact, because the kernel's clock has a low resolution.
    static constexpr std::int64_t kMinBusyUs = 20'000;
    // maximum number of connections that are reported, those of the lowest ranks
    static constexpr std::size_t kMaxPeers = 256;

    // Returns Communicator::links(). Called once in each part of an interval.
    using Readings = std::function<std::vector<LinkStatistics>()>;

    explicit LinkWatch(int rank) : m_rank(rank) {}
    // Returns the traffic since the last summary if a summary is due at `nowUs`, otherwise an empty value. Always empty
    // if all ranks are on one host.
    std::optional<RankLinks> takeSummary(std::int64_t nowUs, const Readings& readings);

  private:
    static RankLinks trafficSince(const std::vector<LinkStatistics>& before, const std::vector<LinkStatistics>& now);
    void beginInterval(std::int64_t nowUs, std::int64_t lengthUs, std::vector<LinkStatistics> now);
    void measureRates(const RankLinks& part);
    RankLinks summary(const std::vector<LinkStatistics>& now) const;

    int m_rank;
    std::vector<LinkStatistics> m_before;     // counters of the links at the begin of the interval
    std::vector<LinkStatistics> m_partBegin;  // counters of the links at the begin of the current part
    // highest rate measured in any part, for each rank at the other end, in bytes per microsecond
    std::map<int, double> m_fastest;
    std::optional<std::int64_t> m_sinceUs;
    std::int64_t m_partDueUs = 0;
    std::int64_t m_dueUs = 0;
};

}  // namespace ringside
