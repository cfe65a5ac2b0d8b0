// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ringside {

// Sleeps, without CPU time, until CLOCK_MONOTONIC says so; returns at once where that is over. To some microseconds
// where the thread has asked for it.
void sleepUntilNs(std::int64_t monotonicNs);
void askForPunctualSleep();  // the calling thread, from now on

// Sleeps as above, to about a microsecond: learns how late this thread is woken, asks for so much earlier, and looks at
// the clock for what is then left. Never returns before. Of one thread.
class PunctualSleep {
  public:
    void until(std::int64_t monotonicNs);

  private:
    std::int64_t m_lateNs = 0;  // as three of four waits are at most
};

}  // namespace ringside
