// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ringside {

// One bucket of consecutive steps: a single step, or several merged when a run is long.
struct SeriesPoint {
    std::int64_t step = 0;     // last step of the bucket
    double epoch = 0;          // fractional: epochs done at that step
    std::int64_t samples = 0;  // seen by all ranks so far
    std::int64_t timeUs = 0;
    float mean = 0;     // over the bucket's steps
    float minimum = 0;  // over steps (and ranks, for a global series)
    float maximum = 0;
    std::int32_t count = 1;  // steps in the bucket
};

// A growing curve in bounded memory: at most `capacity` points; when full, neighbours are merged (mean, min, max kept
// exact) and later points gathered at the coarser grain.
class Series {
  public:
    explicit Series(std::size_t capacity = 1U << 16);
    void add(const SeriesPoint& point);
    void clear();
    std::span<const SeriesPoint> points() const;
    std::int64_t stepsPerPoint() const { return m_stepsPerPoint; }

  private:
    void mergeNeighbours();

    std::size_t m_capacity;
    std::int64_t m_stepsPerPoint = 1;
    std::vector<SeriesPoint> m_points;
};

}  // namespace ringside
