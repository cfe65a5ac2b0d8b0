// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ringside {

// One point of a curve. Covers a single step, or several consecutive steps if the curve has more steps than points.
struct SeriesPoint {
    std::int64_t step = 0;  // last step of the point
    // number of epochs trained by the end of the point's last step, with a fraction for the current epoch
    double epoch = 0;
    // number of samples trained by the end of the point's last step: by all ranks, or by one rank in a curve of that
    // rank
    std::int64_t samples = 0;
    std::int64_t timeUs = 0;
    float mean = 0;  // mean over the steps of the point
    // lowest value of the steps in the point; in a curve over all ranks, the lowest value of any rank
    float minimum = 0;
    float maximum = 0;
    std::int32_t count = 1;  // number of steps in the point
};

// Curve in bounded memory: at most `capacity` points. When the curve is full, pairs of neighbouring points are merged;
// their mean, minimum and maximum stay exact. Points that are added later cover as many steps as a merged point.
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
