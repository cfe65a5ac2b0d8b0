// SPDX-License-Identifier: Apache-2.0
#include "comm/throttle/link_throttle.h"

#include <cmath>

namespace ringside {

std::int64_t LinkThrottle::messageNs(double bytes) const {
    // Transfer time in ns; 1 Gbit/s is 1 bit/ns.
    const double moving = gbitPerSecond > 0 ? 8 * bytes / gbitPerSecond : 0;
    return std::llround(moving + 1000 * latencyUs);
}

std::int64_t LinkThrottle::collectiveNs(CollectiveKind kind, std::int64_t bytes, int ranks) const {
    if (ranks < 2) return 0;
    const int rounds = ranks - 1;
    const auto all = static_cast<double>(bytes);
    switch (kind) {
        case CollectiveKind::kAllReduce:
            return 2 * rounds * messageNs(all / ranks);
        case CollectiveKind::kAllGather:
        case CollectiveKind::kReduceScatter:
            return rounds * messageNs(all);
        case CollectiveKind::kBroadcast:
            return messageNs(all) + (rounds - 1) * messageNs(0);
        case CollectiveKind::kBarrier:
            return 2 * rounds * messageNs(0);
    }
    return 0;
}

}  // namespace ringside
