// SPDX-License-Identifier: Apache-2.0
// The part of MeshStrategy for a canonical reduction, where each leaf of the global batch is a micro-batch.
#include "parallel/mesh/mesh_strategy.h"
#include "parallel/reduce/exact_norm.h"

namespace ringside {

// Repeats the schedule until every leaf has been processed, in the same order on every stage.
void MeshStrategy::runLeaves(const Batch& batch) {
    m_leaves->take(batch);
    const auto& actions = m_plan.schedule.ranks[static_cast<std::size_t>(m_groups.layout().pipeline())];
    const int atOnce = static_cast<int>(m_plan.microBatches);
    for (int first = 0; first < m_leaves->turns(); first += atOnce) {
        for (PipelineAction action : actions) {
            action.microBatch += first;
            if (m_leaves->isFilled(action.microBatch)) carryOut(action, batch);
        }
    }
}

PassPlace MeshStrategy::placeOf(const PipelineAction& action) const {
    const bool inHalves = action.work != PipelineWork::kBackward;
    if (m_leaves) return {treeTurn(action.microBatch, m_leaves->turns(), m_leaves->filled()), inHalves};
    const bool isFirst = m_passes + action.microBatch == 0;
    const bool isLast = m_lastBatch && action.microBatch == m_lastMicroBatch;
    return {{isFirst ? 0U : 1U, isLast ? -1 : 0}, inHalves};
}

// Returns the leaf's share of the samples of the global batch, so that the leaf's gradient is its part of the mean.
float MeshStrategy::shareOf(int microBatch) const {
    if (!m_leaves) return m_share;
    std::int64_t rows = 0;
    for (int turn = 0; turn < m_leaves->turns(); ++turn) rows += m_leaves->rowsOf(turn);
    return static_cast<float>(static_cast<double>(m_leaves->rowsOf(microBatch)) /
                              static_cast<double>(rows * m_groups.layout().dataSize()));
}

Batch MeshStrategy::trainingPart(const Batch& batch, int microBatch) const {
    return m_leaves ? m_leaves->batch(microBatch) : part(batch, microBatch);
}

double MeshStrategy::exactSquaredNorm() {
    ExactSquares squares;
    for (PipelineStage& stage : m_stages) {
        for (std::size_t i = 0; counts(stage) && i < stage.model().parameters().size(); ++i) {
            const Tensor gradient = stage.store().ownGradient(i);
            if (gradient.count() > 0) squares.add(gradient.floats());
        }
    }
    m_groups.world().allReduce(CommBuffer::of(squares.sums()), ReduceOp::kSum);
    return squares.total();
}

}  // namespace ringside
