// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <barrier>
#include <functional>
#include <thread>
#include <tuple>
#include <vector>

#include "backend/cuda/kernels/device_math.h"

namespace ringside {

// Warp of a GPU, simulated by 32 threads (lanes). They synchronize when they exchange values, and combine values in the
// order of the butterflies in kernels.cu.
class WarpOfThreads {
  public:
    static constexpr std::size_t kLanes = 32;

    class Lane {
      public:
        Lane(WarpOfThreads& warp, std::size_t lane) : m_warp(warp), m_lane(lane) {}
        std::size_t first() const { return m_lane; }
        std::size_t step() const { return kLanes; }
        bool leads() const { return m_lane == 0; }
        float sum(float mine) const { return m_warp.butterfly(m_lane, mine, std::plus<>()); }
        double sum(double mine) const { return m_warp.butterfly(m_lane, mine, std::plus<>()); }
        cuda::Largest largest(cuda::Largest mine) const { return m_warp.butterfly(m_lane, mine, cuda::largerOf); }

      private:
        WarpOfThreads& m_warp;
        std::size_t m_lane;
    };

    // Calls row(r, lane) on each lane for all rows, one row after the other.
    template <class Row>
    void run(std::size_t rows, const Row& row) {
        std::vector<std::jthread> threads;
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            threads.emplace_back([this, lane, rows, &row] {
                for (std::size_t r = 0; r < rows; ++r) row(r, Lane(*this, lane));
            });
    }

  private:
    template <class Number, class Combine>
    Number butterfly(std::size_t lane, Number mine, const Combine& combine) {
        auto& shared = std::get<std::array<Number, kLanes>>(m_exchanged);
        shared[lane] = mine;
        m_meeting.arrive_and_wait();
        std::array<Number, kLanes> all = shared;
        m_meeting.arrive_and_wait();
        for (std::size_t distance = kLanes / 2; distance > 0; distance /= 2) {
            const auto before = all;
            for (std::size_t i = 0; i < kLanes; ++i) all[i] = combine(before[i], before[i ^ distance]);
        }
        return all[lane];
    }

    std::barrier<> m_meeting{kLanes};
    std::tuple<std::array<float, kLanes>, std::array<double, kLanes>, std::array<cuda::Largest, kLanes>> m_exchanged;
};

}  // namespace ringside
