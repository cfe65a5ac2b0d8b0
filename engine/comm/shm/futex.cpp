// SPDX-License-Identifier: Apache-2.0
#include "comm/shm/futex.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <ctime>

namespace ringside {

bool futexWait(FutexWord& word, std::uint32_t seen, TimePoint deadline) {
    // The deadline is passed to the kernel as it is, because steady_clock and FUTEX_WAIT_BITSET use the same clock,
    // CLOCK_MONOTONIC.
    auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(deadline.time_since_epoch()).count();
    timespec absolute{static_cast<time_t>(nanoseconds / 1'000'000'000), static_cast<long>(nanoseconds % 1'000'000'000)};
    long rc = ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT_BITSET, seen, &absolute, nullptr,
                        FUTEX_BITSET_MATCH_ANY);
    return rc == 0 || errno != ETIMEDOUT;
}

void futexWakeAll(FutexWord& word) {
    ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace ringside
