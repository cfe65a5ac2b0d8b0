// SPDX-License-Identifier: Apache-2.0
#include "base/time/sleep_until.h"

#include <sys/prctl.h>
#include <time.h>

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

void askForPunctualSleep() {
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}

}  // namespace ringside
