// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "base/processors/cpu_offers.h"

namespace ringside {

// For work on CPUs that it shares with ranks, which wait for one another: a rank whose CPU is taken for longer than
// they wait awake sends all others to sleep. Used by one thread.
class ShortTurns {
  public:
    // Ranks that fill the CPUs give it back within some 5 ms, to a thread that runs only where they leave room too.
    ShortTurns() : ShortTurns(CpuOffers(std::chrono::milliseconds(10))) {}
    explicit ShortTurns(CpuOffers offers) : m_offers(std::move(offers)) {}

    // Before the work.
    void begin();

    // Between two pieces of it. After 50 us of it the CPU goes to whoever wants it, where that is worthwhile.
    void next();

  private:
    CpuOffers m_offers;
    CpuOffers::TimePoint m_turnEnd{};
};

}  // namespace ringside
