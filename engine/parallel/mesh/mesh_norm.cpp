// SPDX-License-Identifier: Apache-2.0
#include "parallel/mesh/mesh_norm.h"

#include <cmath>

#include "backend/backend.h"

namespace ringside {
namespace {

// True if this rank adds the gradients of the stage to the norm; false if another rank, which has the same gradients,
// adds them.
bool counts(PipelineStage& stage, const RankLayout& layout) {
    return layout.replicateIndex() == 0 && (stage.store().ownsDistinctPart() || layout.shardIndex() == 0);
}

}  // namespace

MeshNorm::MeshNorm(const std::vector<Parameter*>& parameters, bool isExact, Backend& backend, StepMemory& memory)
    : m_backend(backend),
      m_kernels(backend.makeReductionKernels()),
      m_count(isExact ? 1 : static_cast<std::int64_t>(parameters.size())) {
    if (!isExact) {
        m_rows = std::make_unique<RowSquares>(parameters, backend, memory);
        return;
    }
    m_exactSums = memory.allocate(static_cast<std::int64_t>(kExactSums), DType::kInt64);
    m_exactSquare = memory.allocateDoubles(1);
}

// Calls visit(stage, parameter, gradient) for each gradient that this rank adds to the norm. For a sharded parameter,
// the gradient is this rank's part.
template <class Visit>
void MeshNorm::forEachOwnGradient(std::vector<PipelineStage>& stages, const MeshGroups& groups, const Visit& visit) {
    for (PipelineStage& stage : stages)
        for (std::size_t i = 0; counts(stage, groups.layout()) && i < stage.model().parameters().size(); ++i)
            if (const Tensor gradient = stage.store().localGradient(i); gradient.count() > 0) visit(stage, i, gradient);
}

Tensor MeshNorm::squared(std::vector<PipelineStage>& stages, MeshGroups& groups) {
    if (!m_rows) return squaredExactly(stages, groups);
    m_rows->clear();
    forEachOwnGradient(stages, groups, [this](PipelineStage& stage, std::size_t parameter, const Tensor& gradient) {
        const RowRange rows = stage.store().localRows(parameter);
        const std::string& name = stage.model().parameters()[parameter]->name;
        m_kernels->squaresOfRows(gradient, m_rows->squaresOfRows(name, rows.first, rows.count));
    });
    return m_rows->squaredNorms(groups.allRanks(), *m_kernels);
}

// Enqueues the computation of the exact sum of squares over all ranks. fill() clears the 64-bit integers as pairs of
// floats, because zero has all bits 0 in both types.
Tensor MeshNorm::squaredExactly(std::vector<PipelineStage>& stages, MeshGroups& groups) {
    m_backend.fill({m_exactSums.data, {2 * m_exactSums.count()}, DType::kFloat32, m_exactSums.device}, 0);
    forEachOwnGradient(stages, groups, [this](PipelineStage&, std::size_t, const Tensor& gradient) {
        m_kernels->addExactSquares(gradient, m_exactSums);
    });
    groups.allRanks().allReduce({m_exactSums.data, kExactSums, CommType::kInt64}, ReduceOp::kSum);
    m_kernels->totalOfExactSquares(m_exactSums, m_exactSquare);
    return m_exactSquare;
}

double MeshNorm::normOf(std::span<const double> squares) {
    double sum = 0;
    for (const double square : squares) sum += square;
    return std::sqrt(sum);
}

}  // namespace ringside
