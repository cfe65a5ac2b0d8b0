// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/backend.h"
#include "comm/communicator.h"
#include "config/leaves.h"
#include "nn/models/model.h"
#include "parallel/reduce/step_memory.h"

namespace ringside {

// Batch norm's running statistics with training.reduction canonical, where each leaf (a group of samples whose
// gradients are added first) is a batch. Every leaf updates the statistics from before the step. The step then sets
// them to the mean of the leaves' results, which is summed in the tree of the leaves. All sums stay in the device's
// memory.
class LeafStatistics {
  public:
    // The model, the backend and the memory must outlive this object.
    LeafStatistics(const Model& model, int levels, Backend& backend, StepMemory& memory);

    bool isEmpty() const { return m_buffers.empty(); }
    void beforeForward(int turn);
    void afterForward(const TreeTurn& turn);
    // leaves: number of leaves (groups of samples) that are not empty, over all data-parallel ranks
    void averageOverLeaves(Communicator& dataRanks, std::int64_t leaves);

  private:
    // Calls visit(buffer, part) for each buffer, where `part` is its part of `values`. `values` contains all buffers
    // one after the other.
    template <class Visit>
    static void forEachPart(const std::vector<Tensor>& buffers, const Tensor& values, const Visit& visit);
    void readBuffers(const std::vector<Tensor>& buffers, const Tensor& values);
    void writeBuffers(const std::vector<Tensor>& buffers, const Tensor& values);

    Backend* m_backend;
    std::vector<Tensor> m_buffers;   // buffers of floats
    std::vector<Tensor> m_counters;  // batch norm's counters of batches, each a tensor of one integer
    Tensor m_start;                  // values of the buffers before the step
    Tensor m_startCounts;
    Tensor m_sum;
    std::vector<Tensor> m_kept;  // partial sums that wait for the other half of their subtree, by level of the tree
};

}  // namespace ringside
