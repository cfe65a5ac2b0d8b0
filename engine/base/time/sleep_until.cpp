// SPDX-License-Identifier: Apache-2.0
#include "base/time/sleep_until.h"

#include <sys/prctl.h>
#include <time.h>

#include <algorithm>
#include <cerrno>

#include "base/time/monotonic.h"

namespace ringside {

void sleepUntilNs(std::int64_t when) {
    if (when <= monotonicNs()) return;
    constexpr std::int64_t kSecond = 1'000'000'000;
    const timespec until{static_cast<time_t>(when / kSecond), static_cast<long>(when % kSecond)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
    }
}

void PreciseSleep::sleepUntil(std::int64_t when) {
    // Upper limit of the estimated wake-up delay. Longer delays are caused by other threads on the CPU.
    constexpr std::int64_t kMaxLateNs = 100'000;
    const std::int64_t requested = when - m_lateNs;
    if (requested > monotonicNs()) {
        sleepUntilNs(requested);
        const std::int64_t late = monotonicNs() - requested;
        // Estimates the 75th percentile of the wake-up delay: m_lateNs grows by 3 steps after a delay above m_lateNs
        // and shrinks by 1 step after a smaller delay.
        const std::int64_t step = m_lateNs / 16 + 500;
        m_lateNs = std::clamp<std::int64_t>(m_lateNs + (late > m_lateNs ? 3 * step : -step), 0, kMaxLateNs);
    }
    while (monotonicNs() < when) {
    }
}

void setMinimalTimerSlack() {
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}

}  // namespace ringside
