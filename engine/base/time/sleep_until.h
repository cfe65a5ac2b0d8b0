// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ringside {

// Sleeps, without CPU time, until CLOCK_MONOTONIC says so; returns at once where that is over. To some microseconds
// where the thread has asked for it.
void sleepUntilNs(std::int64_t monotonicNs);
void askForPunctualSleep();  // the calling thread, from now on

}  // namespace ringside
