// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>

#include "telemetry/events/events.h"

namespace ringside {

// Combines the times of traced steps from the step lines of all ranks: computes the mean over the ranks once every rank
// has reported the step. A step that a rank did not report is discarded when a later step is complete, or when more
// than kMaxWaiting steps are incomplete.
class PhaseSums {
  public:
    static constexpr std::size_t kMaxWaiting = 4096;

    struct Step {
        std::int64_t step = 0;
        std::int64_t epoch = 0;
        std::int64_t endUs = 0;                // time at which the last rank ended the step
        std::array<double, kPhaseCount> ms{};  // mean time by phase, in milliseconds
    };

    explicit PhaseSums(int worldSize) : m_worldSize(worldSize) {}
    // Adds a "steps" event of one rank and calls sink for each step that every rank has now reported.
    void add(const StepsFrame& frame, const std::function<void(const Step&)>& sink);

  private:
    struct Gathered {
        Step sums;
        int ranks = 0;
    };
    int m_worldSize;
    std::map<std::int64_t, Gathered> m_waiting;
};

}  // namespace ringside
