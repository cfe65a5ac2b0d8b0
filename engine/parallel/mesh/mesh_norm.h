// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "parallel/mesh/mesh_groups.h"
#include "parallel/mesh/pipeline_stage.h"
#include "parallel/reduce/row_squares.h"
#include "parallel/reduce/step_memory.h"

namespace ringside {

// Norm of the gradients of a model that is distributed over ranks, as torch.nn.utils.clip_grad_norm_ computes it. It is
// computed in the device's memory.
class MeshNorm {
  public:
    // parameters: all parameters of the whole model, in the order of the model. isExact: true to add the squares
    // without rounding, so that the norm has the same bits for any distribution of the model. backend and memory must
    // outlive this object.
    MeshNorm(const std::vector<Parameter*>& parameters, bool isExact, Backend& backend, StepMemory& memory);

    // Enqueues the computation of the sums of squares of all gradients of the model. stages: the pipeline stages on
    // this rank. Returns a tensor on the device whose elements (double) add up to the squared norm. Collective over all
    // ranks.
    Tensor squared(std::vector<PipelineStage>& stages, MeshGroups& groups);
    // Returns the norm. squares: host copy of the tensor that squared() returned.
    static double normOf(std::span<const double> squares);

    ReductionKernels& kernels() { return *m_kernels; }
    // returns the number of elements in the tensor that squared() returns
    std::int64_t squareCount() const { return m_count; }

  private:
    template <class Visit>
    static void forEachOwnGradient(std::vector<PipelineStage>& stages, const MeshGroups& groups, const Visit& visit);
    Tensor squaredExactly(std::vector<PipelineStage>& stages, MeshGroups& groups);

    Backend& m_backend;
    std::unique_ptr<ReductionKernels> m_kernels;
    std::unique_ptr<RowSquares> m_rows;  // adds the squares of each row of a tensor; null if isExact
    // Exact sum of squares, stored as kExactSums integers. Empty unless isExact is true.
    Tensor m_exactSums;
    Tensor m_exactSquare;
    std::int64_t m_count;
};

}  // namespace ringside
