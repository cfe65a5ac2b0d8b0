// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "comm/communicator.h"

namespace ringside {

// A link between neighbours of a ring, and how long what goes over it lasts.
struct LinkPace {
    double gbitPerSecond = 0;  // 0: bytes take no time
    double latencyUs = 0;      // of each message

    bool any() const { return gbitPerSecond > 0 || latencyUs > 0; }
    std::int64_t messageNs(double bytes) const;
    // Ring algorithms, as NCCL's: an all-reduce takes 2 (N-1) rounds of a part 1/N of the buffer each, an all-gather or
    // a reduce-scatter N-1 of them; a broadcast goes round in small pieces, so that it takes its bytes once. bytes: of
    // what all-reduce and broadcast are given, of one rank's block for the other two.
    std::int64_t collectiveNs(CollectiveKind kind, std::int64_t bytes, int ranks) const;
};

}  // namespace ringside
