// SPDX-License-Identifier: Apache-2.0
#include "parallel/mesh/mesh_norm.h"

#include "backend/backend.h"
#include "parallel/reduce/exact_norm.h"

namespace ringside {
namespace {

// True if the stage's gradients on this rank are part of the norm; false for copies that other ranks count.
bool counts(PipelineStage& stage, const RankLayout& layout) {
    return layout.replicate() == 0 && (stage.store().ownsDistinctPart() || layout.shard() == 0);
}

}  // namespace

double MeshNorm::squared(std::vector<PipelineStage>& stages, MeshGroups& groups, Backend& backend) {
    m_squares.clear();
    for (PipelineStage& stage : stages) {
        for (std::size_t i = 0; counts(stage, groups.layout()) && i < stage.model().parameters().size(); ++i) {
            const Tensor gradient = stage.store().ownGradient(i);
            if (gradient.count() == 0) continue;
            const RowRange rows = stage.store().ownRows(i);
            backend.squaresOfRows(gradient,
                                  m_squares.rows(stage.model().parameters()[i]->name, rows.first, rows.count));
        }
    }
    return m_squares.total(groups.world());
}

double MeshNorm::exactSquared(std::vector<PipelineStage>& stages, MeshGroups& groups) {
    ExactSquares squares;
    for (PipelineStage& stage : stages) {
        for (std::size_t i = 0; counts(stage, groups.layout()) && i < stage.model().parameters().size(); ++i) {
            const Tensor gradient = stage.store().ownGradient(i);
            if (gradient.count() > 0) squares.add(gradient.floats());
        }
    }
    groups.world().allReduce(CommBuffer::of(squares.sums()), ReduceOp::kSum);
    return squares.total();
}

}  // namespace ringside
