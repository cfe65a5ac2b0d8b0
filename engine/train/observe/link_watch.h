// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "comm/communicator.h"
#include "telemetry/events/events.h"

namespace ringside {

// Summarizes the traffic on a rank's connections to other hosts: first after kFirstUs, then every kEveryUs.
class LinkWatch {
  public:
    static constexpr std::int64_t kFirstUs = 1'000'000;
    static constexpr std::int64_t kEveryUs = 5'000'000;
    static constexpr std::size_t kMostPeers = 256;  // maximum number of reported peers, in rank order

    // Communicator::links(), called only when a summary is due
    using Readings = std::function<std::vector<LinkStatistics>()>;

    explicit LinkWatch(int rank) : m_rank(rank) {}
    // Returns the traffic since the last summary if one is due at `nowUs`. Always empty if all ranks are on one host.
    std::optional<RankLinks> look(std::int64_t nowUs, const Readings& readings);

  private:
    static RankLinks since(const std::vector<LinkStatistics>& before, const std::vector<LinkStatistics>& now);

    int m_rank;
    std::vector<LinkStatistics> m_before;
    std::optional<std::int64_t> m_sinceUs;
    std::int64_t m_dueUs = 0;
};

}  // namespace ringside
