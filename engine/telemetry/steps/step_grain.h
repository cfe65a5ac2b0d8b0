// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace ringside {

// Which steps are recorded together. The first kSingles logged steps are each on their own; from then on kPerDoubling
// points are spent whenever the run doubles, so that a run of a thousand million steps has a few hundred thousand.
// The same for every rank and for every run of the same length, and windows end at multiples of their width.
class StepGrain {
  public:
    static constexpr std::int64_t kSingles = 1 << 15;
    static constexpr std::int64_t kPerDoubling = 1 << 13;

    // Steps count from stepsBefore + 1; every logEvery-th is logged.
    explicit StepGrain(std::int64_t stepsBefore = 0, std::int64_t logEvery = 1);

    struct Window {
        std::int64_t first = 0;
        std::int64_t last = 0;
        bool operator==(const Window&) const = default;
    };
    // The window that holds a step.
    Window windowOf(std::int64_t step) const;
    bool isSingle(std::int64_t step) const { return regionOf(step).width == m_logEvery; }

    // 2^doublings times as wide, for steps behind this one; for who has to save room. Each call behind the one before;
    // only the latest are remembered, for steps not asked for yet.
    void widen(std::int64_t afterStep, int doublings);

  private:
    struct Region {  // ]after, last]
        std::int64_t after = 0;
        std::int64_t last = 0;
        std::int64_t width = 1;
    };
    Region regionOf(std::int64_t step) const;

    std::int64_t m_stepsBefore;
    std::int64_t m_logEvery;
    bool m_grows = true;  // with the run
    struct Change {
        std::int64_t after = 0;
        int doublings = 0;
    };
    std::vector<Change> m_changes;
};

}  // namespace ringside
