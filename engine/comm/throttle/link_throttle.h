// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "comm/communicator.h"

namespace ringside {

// Speed of a simulated link between neighbours of a ring, and the duration of transfers over it.
struct LinkThrottle {
    double gbitPerSecond = 0;  // throughput of the link, in Gbit/s; 0: unlimited
    double latencyUs = 0;      // latency of each message, in microseconds

    // True if the link has a limited rate or a latency.
    bool isActive() const { return gbitPerSecond > 0 || latencyUs > 0; }
    // Returns the duration of one message of `bytes` bytes, in nanoseconds.
    std::int64_t messageNs(double bytes) const;
    // Returns the duration, in nanoseconds, of a collective by ring algorithms like those of NCCL. An all-reduce takes
    // 2 (N-1) rounds with 1/N of the buffer each; an all-gather or a reduce-scatter takes N-1 rounds with one rank's
    // block each; a broadcast is pipelined in small pieces, so that its bytes count once. bytes: size of the buffer for
    // an all-reduce or broadcast; size of one rank's block for an all-gather or reduce-scatter.
    std::int64_t collectiveNs(CollectiveKind kind, std::int64_t bytes, int ranks) const;
};

}  // namespace ringside
