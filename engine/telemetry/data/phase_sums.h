// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>

#include "telemetry/events/events.h"

namespace ringside {

// Computes the mean over all ranks of the time that a traced step spent in each phase, from the "steps" events of the
// ranks. A step is complete when every rank has reported it. An incomplete step is discarded when a later step is
// complete, or when more than kMaxWaiting steps are incomplete.
class PhaseSums {
  public:
    static constexpr std::size_t kMaxWaiting = 4096;

    struct Step {
        std::int64_t step = 0;
        std::int64_t epoch = 0;
        // time at which the last rank finished the step, in microseconds since the start of the run
        std::int64_t endUs = 0;
        std::array<double, kPhaseCount> ms{};  // time in each phase, as the mean over the ranks, in milliseconds
    };

    explicit PhaseSums(int worldSize) : m_worldSize(worldSize) {}
    // Adds a "steps" event of one rank, and calls `sink` for each step that is now complete.
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
