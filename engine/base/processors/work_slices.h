// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "base/processors/cpu_yields.h"

namespace ringside {

// Splits long work into slices of 50 us with a yield after each, for threads that share CPUs with ranks. If a rank is
// displaced from its CPU for longer than the other ranks busy-wait for it, the other ranks go to sleep. Used by one
// thread.
class WorkSlices {
  public:
    // Treats a yield as too slow after 10 ms. If ranks use all CPUs, a thread that yields runs again within about 5 ms,
    // even if it is a SCHED_IDLE thread.
    WorkSlices() : WorkSlices(CpuYields(std::chrono::milliseconds(10))) {}
    explicit WorkSlices(CpuYields yields) : m_yields(std::move(yields)) {}

    // Starts the first slice of the work. Call before the work.
    void begin();

    // Yields the CPU if the slice is over and CpuYields::isWorthwhile(). Call between two pieces of the work.
    void next();

  private:
    CpuYields m_yields;
    CpuYields::TimePoint m_sliceEnd{};
};

}  // namespace ringside
