// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

namespace ringside {

// Samples per second and steps per second over a sliding window of run time.
class Throughput {
  public:
    explicit Throughput(std::int64_t windowUs) : m_windowUs(windowUs) {}
    // Adds the numbers of steps and samples that the run has done since its start, measured at `timeUs`. Ignored if
    // `timeUs` is not later than the time of the previous call.
    void add(std::int64_t timeUs, std::int64_t samples, std::int64_t step);
    std::optional<double> samplesPerSecond() const;  // returns samples per second; empty before two calls of add()
    std::optional<double> stepsPerSecond() const;

  private:
    struct Mark {
        std::int64_t timeUs, samples, step;
    };
    std::int64_t m_windowUs;
    // Run time in microseconds before which add() overwrites the last entry of m_marks instead of appending an entry.
    std::int64_t m_denseUntilUs = 0;
    std::deque<Mark> m_marks;
};

}  // namespace ringside
