// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace ringside {

// Rule that groups logged steps into windows (ranges of steps), each of which becomes one point of a curve.
//
// Each of the first kSingles logged steps has its own window. After that, each doubling of the number of steps adds
// kPerDoubling windows, so that a run of 1e9 steps has a few hundred thousand windows. Windows end at multiples of
// their width. As long as widen() is not called, the windows depend only on the step numbers and are the same on all
// ranks.
class StepGrain {
  public:
    static constexpr std::int64_t kSingles = 1 << 15;
    static constexpr std::int64_t kPerDoubling = 1 << 13;

    // stepsBefore: number of the last step before the first window. logEvery: every logEvery-th step is logged.
    explicit StepGrain(std::int64_t stepsBefore = 0, std::int64_t logEvery = 1);

    // Range of steps, both ends included.
    struct Window {
        std::int64_t first = 0;
        std::int64_t last = 0;
        bool operator==(const Window&) const = default;
    };
    // Returns the window that contains the step.
    Window windowOf(std::int64_t step) const;
    // True if the step has a window of its own.
    bool isSingle(std::int64_t step) const { return regionOf(step).width == m_logEvery; }

    // Makes all windows after step `afterStep` 2^doublings times as wide, to save memory. `afterStep` must not decrease
    // between calls. Only the latest 16 calls are stored: after more calls, windowOf() is valid only for steps after
    // the oldest stored call.
    void widen(std::int64_t afterStep, int doublings);

  private:
    struct Region {  // steps after `after`, up to and including `last`, whose windows have the same width
        std::int64_t after = 0;
        std::int64_t last = 0;
        std::int64_t width = 1;
    };
    Region regionOf(std::int64_t step) const;

    std::int64_t m_stepsBefore;
    std::int64_t m_logEvery;
    bool m_grows = true;  // true: windows become wider as the number of steps grows
    struct Change {
        std::int64_t after = 0;
        int doublings = 0;
    };
    std::vector<Change> m_changes;
};

}  // namespace ringside
