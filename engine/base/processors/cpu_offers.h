// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>

namespace ringside {

// Offers of the CPU to whoever wants it. Ranks that wait for one another give it back soon. Other programs keep it for
// their whole share, and whoever goes on offering hardly runs at all: then there are none for a while. One thread.
class CpuOffers {
  public:
    using TimePoint = std::chrono::steady_clock::time_point;

    // What tests replace.
    struct System {
        std::function<TimePoint()> now = std::chrono::steady_clock::now;
        std::function<void()> yield = yieldProcessor;
    };

    // late: after which an offer was taken by others than ranks.
    explicit CpuOffers(std::chrono::microseconds late) : CpuOffers(late, System{}) {}
    CpuOffers(std::chrono::microseconds late, System system) : m_late(late), m_system(std::move(system)) {}

    TimePoint now() const { return m_system.now(); }

    // Not for 100 ms after an offer that was late to come back.
    bool worthwhile(TimePoint now) const { return now >= m_pausedUntil; }

    // Returns when the CPU is back, with that time; `now` is the time before.
    TimePoint make(TimePoint now);

  private:
    static void yieldProcessor();

    std::chrono::microseconds m_late;
    System m_system;
    TimePoint m_pausedUntil{};
};

}  // namespace ringside
