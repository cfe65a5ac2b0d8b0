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
    // Adds the cumulative counts of steps and samples at a time. Ignored if the time is not later than the previous
    // one.
    void add(std::int64_t timeUs, std::int64_t samples, std::int64_t step);
    std::optional<double> samplesPerSecond() const;  // returns the throughput; empty before two points
    std::optional<double> stepsPerSecond() const;

  private:
    struct Mark {
        std::int64_t timeUs, samples, step;
    };
    std::int64_t m_windowUs;
    // an entry added before this time overwrites the last entry of m_marks
    std::int64_t m_denseUntilUs = 0;
    std::deque<Mark> m_marks;
};

}  // namespace ringside
