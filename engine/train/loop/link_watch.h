// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "comm/communicator.h"
#include "telemetry/events/events.h"

namespace ringside {

// Tells now and then how a rank's connections to other hosts went since it last did.
class LinkWatch {
  public:
    static constexpr std::int64_t kFirstUs = 1'000'000;
    static constexpr std::int64_t kEveryUs = 5'000'000;
    static constexpr std::size_t kMostPeers = 256;  // those of the lowest ranks

    using Readings = std::function<std::vector<LinkReading>()>;  // Communicator::links(), asked when it is time

    explicit LinkWatch(int rank) : m_rank(rank) {}
    // Mostly nothing; never anything where the ranks are on one host.
    std::optional<RankLinks> look(std::int64_t nowUs, const Readings& readings);

  private:
    static RankLinks since(const std::vector<LinkReading>& before, const std::vector<LinkReading>& now);

    int m_rank;
    std::vector<LinkReading> m_before;
    std::optional<std::int64_t> m_sinceUs;
    std::int64_t m_dueUs = 0;
};

}  // namespace ringside
