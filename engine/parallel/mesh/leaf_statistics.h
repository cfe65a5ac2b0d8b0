// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/backend.h"
#include "comm/communicator.h"
#include "config/leaves.h"
#include "nn/models/model.h"
#include "parallel/reduce/step_memory.h"

namespace ringside {

// Running statistics of batch norm if training.reduction is canonical. Batch norm treats each leaf (a group of samples
// whose gradients are added first) as one batch; each leaf starts from the statistics as they were before the step. The
// new statistics are the mean of the leaves' results, added in the order of the tree sum. All sums stay in the device's
// memory.
class LeafStatistics {
  public:
    // The model, the backend and the memory must outlive this object.
    LeafStatistics(const Model& model, int levels, Backend& backend, StepMemory& memory);

    bool isEmpty() const { return m_buffers.empty(); }
    void beforeForward(int turn);
    void afterForward(const TreeSumStep& sumStep);
    // Sets the buffers to the mean over all leaves. leaves: number of leaves with samples on all data-parallel ranks
    // together. Collective over dataRanks.
    void averageOverLeaves(Communicator& dataRanks, std::int64_t leaves);

  private:
    // Calls visit(buffer, part) for each buffer. part: part of `values` that belongs to the buffer; `values` contains
    // the values of all buffers one after the other.
    template <class Visit>
    static void forEachPart(const std::vector<Tensor>& buffers, const Tensor& values, const Visit& visit);
    void readBuffers(const std::vector<Tensor>& buffers, const Tensor& values);
    void writeBuffers(const std::vector<Tensor>& buffers, const Tensor& values);

    Backend* m_backend;
    std::vector<Tensor> m_buffers;   // batch norm's running means and variances
    std::vector<Tensor> m_counters;  // batch norm's counters of batches, each a tensor of one integer
    Tensor m_start;                  // values of the buffers before the step
    Tensor m_startCounts;
    Tensor m_sum;
    std::vector<Tensor> m_kept;  // sums that are kept until they are added to another sum, by level of the tree sum
};

}  // namespace ringside
