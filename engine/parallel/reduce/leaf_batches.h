// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backend/backend.h"
#include "model/model_description.h"
#include "nn/models/loss.h"

namespace ringside {

// Leaves of this data-parallel rank under training.reduction canonical (config/leaves.h). A leaf is a group of samples
// of the global batch whose gradients are added first.
//
// A canonical reduction makes the gradient independent of the number of ranks and of the rank layout. The global batch
// is divided into a fixed number of leaves, and each data-parallel rank gets whole leaves. The gradient of each leaf is
// computed separately. The gradients are added in one fixed binary tree: first within each rank, then over the ranks,
// whose sums are nodes of the same tree. A rank processes its leaves one after the other, one in each turn. The leaves
// are taken in bit-reversed order, so that two nodes of the tree that are added are completed one after the other, and
// few gradients must be kept.
//
// Row i of this rank's batch belongs to its leaf i mod `leaves`. Each leaf is copied into its own memory, whose
// alignment does not depend on the rank layout.
class LeafBatches {
  public:
    // The backend must outlive this object. leaves: number of leaves (groups of samples) of this rank. maxRows: largest
    // number of samples of a batch of this rank.
    LeafBatches(int leaves, std::int64_t maxRows, const ModelInterface& interface, Backend& backend);

    void copySamples(const Batch& whole);         // copies the samples of a step's batch into the memory of their
                                                  // leaves (groups of samples)
    std::int64_t rows() const { return m_rows; }  // returns the number of samples of the whole batch
    int turnCount() const { return m_count; }
    bool isFilled(int turn) const { return leafOf(turn) < filledLeaves(); }
    // Returns the number of leaves (groups of samples) that are not empty. These are always the first leaves.
    int filledLeaves() const { return static_cast<int>(m_rows < m_count ? m_rows : m_count); }
    int leafOf(int turn) const;  // returns the index of the leaf (group of samples) that is processed in turn `turn`
    // Returns the number of samples of the leaf (group of samples) that is processed in turn `turn`. rows: number of
    // samples of the batch; without it, the current batch.
    std::int64_t rowsOf(int turn) const { return rowsOf(turn, m_rows); }
    std::int64_t rowsOf(int turn, std::int64_t rows) const;
    // Returns the row in the whole batch of sample i of the leaf that is processed in turn `turn`.
    std::int64_t rowOf(int turn, std::int64_t i) const { return leafOf(turn) + i * m_count; }
    Batch batch(int turn) const;

  private:
    // Memory for the samples of one leaf (a group of samples whose gradients are added first).
    struct Leaf {
        Tensor features, labels, targets;
    };
    Tensor copyRows(const Tensor& whole, const Tensor& memory, int turn) const;

    std::unique_ptr<ReductionKernels> m_kernels;
    int m_count;
    std::int64_t m_rows = 0;
    std::vector<Leaf> m_leaves;  // memory of each leaf (group of samples), by turn
    std::vector<Batch> m_batches;
};

}  // namespace ringside
