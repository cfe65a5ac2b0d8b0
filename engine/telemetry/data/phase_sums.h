// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>

#include "telemetry/events/events.h"

namespace ringside {

// Joins what the ranks' step lines say of their traced steps: the mean over the ranks, once all have told. A step that
// a rank left out is given up when many others wait.
class PhaseSums {
  public:
    static constexpr std::size_t kMostWaiting = 4096;

    struct Step {
        std::int64_t step = 0;
        std::int64_t epoch = 0;
        std::int64_t endUs = 0;                // of the last rank
        std::array<double, kPhaseCount> ms{};  // by phase
    };

    explicit PhaseSums(int worldSize) : m_worldSize(worldSize) {}
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
