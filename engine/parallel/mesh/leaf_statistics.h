// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "comm/communicator.h"
#include "config/leaves.h"
#include "nn/models/model.h"

namespace ringside {

// Batch norm's running statistics with training.reduction canonical, where each leaf is a batch. Every leaf updates the
// statistics from before the step. The step then sets them to the mean of the leaves' results, which is summed in the
// tree of the leaves.
class LeafStatistics {
  public:
    // model must outlive it. The model's buffers must lie in host memory.
    LeafStatistics(const Model& model, int levels);

    bool none() const { return m_buffers.empty(); }
    void beforeForward(int turn);
    void afterForward(const TreeTurn& turn);
    // leaves: number of leaves with samples on all data-parallel ranks
    void finish(Communicator& dataRanks, std::int64_t leaves);

  private:
    void write(std::span<const float> values);

    std::vector<Tensor> m_buffers;  // buffers of floats
    std::vector<Tensor> m_counters;
    std::vector<float> m_start;
    std::vector<std::int64_t> m_startCounts;
    std::vector<float> m_sum;
    std::vector<std::vector<float>> m_kept;  // kept sums, by level
};

}  // namespace ringside
