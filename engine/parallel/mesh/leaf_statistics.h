// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/backend.h"
#include "comm/communicator.h"
#include "config/leaves.h"
#include "nn/models/model.h"
#include "parallel/reduce/step_memory.h"

namespace ringside {

// Batch norm's running statistics with training.reduction canonical, where each leaf is a batch. Every leaf updates the
// statistics from before the step. The step then sets them to the mean of the leaves' results, which is summed in the
// tree of the leaves. All sums stay in the device's memory.
class LeafStatistics {
  public:
    // All arguments must outlive this object.
    LeafStatistics(const Model& model, int levels, Backend& backend, StepMemory& memory);

    bool none() const { return m_buffers.empty(); }
    void beforeForward(int turn);
    void afterForward(const TreeTurn& turn);
    // leaves: number of leaves with samples on all data-parallel ranks
    void finish(Communicator& dataRanks, std::int64_t leaves);

  private:
    // Calls visit(buffer, part) for each buffer and its part of `values`, in which all buffers follow each other.
    template <class Visit>
    static void eachPart(const std::vector<Tensor>& buffers, const Tensor& values, const Visit& visit);
    void read(const std::vector<Tensor>& buffers, const Tensor& values);
    void write(const std::vector<Tensor>& buffers, const Tensor& values);

    Backend* m_backend;
    std::vector<Tensor> m_buffers;   // buffers of floats
    std::vector<Tensor> m_counters;  // buffers of one integer
    Tensor m_start;                  // values before the step
    Tensor m_startCounts;
    Tensor m_sum;
    std::vector<Tensor> m_kept;  // kept sums, by level
};

}  // namespace ringside
