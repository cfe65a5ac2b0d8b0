// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ringside {

// One point of a curve: a single step, or several consecutive steps if the run is long.
struct SeriesPoint {
    std::int64_t step = 0;     // last step of the point
    double epoch = 0;          // number of epochs done at the end of the point's last step, including the fraction of
                               // the current epoch
    std::int64_t samples = 0;  // number of samples processed at the end of the point's last step, by all ranks; in a
                               // series of one rank, by this rank
    std::int64_t timeUs = 0;
    float mean = 0;     // mean over the steps of the point
    float minimum = 0;  // minimum over the steps and, for a series of all ranks, over the ranks
    float maximum = 0;
    std::int32_t count = 1;  // number of steps in the point
};

// Curve in bounded memory: at most `capacity` points. When full, neighbouring points are merged (mean, minimum and
// maximum stay exact), and later points are collected at the coarser resolution.
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
