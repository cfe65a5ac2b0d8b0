// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

namespace ringside {

// Returns CLOCK_MONOTONIC in nanoseconds, which is the same clock for all processes of a host.
inline std::int64_t monotonicNs() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

// Returns CLOCK_MONOTONIC in microseconds.
inline std::int64_t monotonicUs() {
    return monotonicNs() / 1000;
}

}  // namespace ringside
