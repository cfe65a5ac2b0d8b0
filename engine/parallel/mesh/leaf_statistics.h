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

// Batch norm's running statistics under training.reduction canonical, in which a leaf is the batch: every leaf goes on
// from those before the step, and the step ends with the mean of what the leaves came to, summed in the leaves' tree.
class LeafStatistics {
  public:
    // The model outlives it; its buffers lie in host memory.
    LeafStatistics(const Model& model, int levels);

    bool none() const { return m_buffers.empty(); }
    void beforeForward(int turn);
    void afterForward(const TreeTurn& turn);
    void finish(Communicator& readers, std::int64_t leaves);  // leaves: with samples, of all readers

  private:
    void write(std::span<const float> values);

    std::vector<Tensor> m_buffers;  // of floats
    std::vector<Tensor> m_counters;
    std::vector<float> m_start;
    std::vector<std::int64_t> m_startCounts;
    std::vector<float> m_sum;
    std::vector<std::vector<float>> m_kept;  // by level
};

}  // namespace ringside
