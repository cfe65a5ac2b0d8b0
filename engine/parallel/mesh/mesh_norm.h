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
    // without rounding, so that the norm does not depend on how the model is distributed. backend and memory must
    // outlive this object.
    MeshNorm(const std::vector<Parameter*>& parameters, bool isExact, Backend& backend, StepMemory& memory);

    // Enqueues the sums of squares of all gradients of the model. stages: the stages of this rank. Returns the result
    // on the device: doubles whose sum is the squared norm. Collective over all ranks.
    Tensor squared(std::vector<PipelineStage>& stages, MeshGroups& groups);
    // Returns the norm, given a host copy of the tensor that squared() returned.
    static double normOf(std::span<const double> squares);

    ReductionKernels& kernels() { return *m_kernels; }
    std::int64_t squareCount() const { return m_count; }  // number of doubles that squared() returns

  private:
    template <class Visit>
    static void forEachOwnGradient(std::vector<PipelineStage>& stages, const MeshGroups& groups, const Visit& visit);
    Tensor squaredExactly(std::vector<PipelineStage>& stages, MeshGroups& groups);

    Backend& m_backend;
    std::unique_ptr<ReductionKernels> m_kernels;
    std::unique_ptr<RowSquares> m_rows;  // adds the squares row by row; null if isExact
    // Sum of squares without rounding, as kExactSums integers; empty unless isExact.
    Tensor m_exactSums;
    Tensor m_exactSquare;
    std::int64_t m_count;
};

}  // namespace ringside
