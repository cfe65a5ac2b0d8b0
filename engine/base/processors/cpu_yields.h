// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>

namespace ringside {

// Calls sched_yield() only while yielding is cheap. Waiting ranks return the CPU quickly after a yield. Other programs
// use their whole time slice, and a thread that keeps yielding to them hardly runs. After a yield that took longer than
// `late`, isWorthwhile() is therefore false for 100 ms. Used by one thread.
class CpuYields {
  public:
    using TimePoint = std::chrono::steady_clock::time_point;

    // Clock and yield function; tests replace both.
    struct System {
        std::function<TimePoint()> now = std::chrono::steady_clock::now;
        std::function<void()> yield = yieldProcessor;
    };

    // late: if a yield takes longer than this, other programs than ranks have probably used the CPU.
    explicit CpuYields(std::chrono::microseconds late) : CpuYields(late, System{}) {}
    CpuYields(std::chrono::microseconds late, System system) : m_late(late), m_system(std::move(system)) {}

    TimePoint now() const { return m_system.now(); }

    // Returns false for 100 ms after a yield that took longer than `late`.
    bool isWorthwhile(TimePoint now) const { return now >= m_pausedUntil; }

    // Yields the CPU and returns the time at which the thread runs again. `now` is the time before the yield.
    TimePoint yield(TimePoint now);

  private:
    static void yieldProcessor();

    std::chrono::microseconds m_late;
    System m_system;
    TimePoint m_pausedUntil{};
};

}  // namespace ringside
