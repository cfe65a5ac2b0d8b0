// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ringside {

// Sleeps until CLOCK_MONOTONIC reaches this time, in nanoseconds. Returns at once if the time has passed. The thread
// wakes at most about 50 us late, or a few microseconds late after setMinimalTimerSlack().
void sleepUntilNs(std::int64_t monotonicNs);
void setMinimalTimerSlack();  // sets the timer slack of the calling thread to 1 ns

// Sleep with an error of about a microsecond. Measures the usual delay of this thread's wake-ups, sleeps until this
// delay before the requested time, and polls the clock for the rest. Never returns early. Used by one thread.
class PreciseSleep {
  public:
    // Sleeps until CLOCK_MONOTONIC reaches this time, in nanoseconds.
    void sleepUntil(std::int64_t monotonicNs);

  private:
    std::int64_t m_lateNs = 0;  // estimated 75th percentile of the wake-up delay
};

}  // namespace ringside
