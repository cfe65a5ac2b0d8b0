// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "backend/backend.h"
#include "model/model_description.h"
#include "nn/models/loss.h"

namespace ringside {

// This reader's leaves of the global batch under training.reduction canonical (config/leaves.h). Of `leaves` leaves,
// row i of its batch belongs to leaf i mod `leaves`; each is copied into memory of its own, which lies alike whatever
// the layout of the ranks. Leaves have their turns in bit-reversed order.
class LeafBatches {
  public:
    // Host memory only. maxRows: of a whole batch.
    LeafBatches(int leaves, std::int64_t maxRows, const ModelTask& task, Backend& backend);

    void take(const Batch& whole);                // of a step
    std::int64_t rows() const { return m_rows; }  // of the whole batch
    int turns() const { return m_count; }
    bool isFilled(int turn) const { return leafOf(turn) < filled(); }
    // How many of the leaves have samples: the first ones.
    int filled() const { return static_cast<int>(m_rows < m_count ? m_rows : m_count); }
    int leafOf(int turn) const;                                                                // among this reader's
    std::int64_t rowsOf(int turn) const;                                                       // samples of it
    std::int64_t rowOf(int turn, std::int64_t i) const { return leafOf(turn) + i * m_count; }  // in the whole batch
    Batch batch(int turn) const;

  private:
    struct Leaf {
        Tensor features, labels, targets;
    };
    Tensor copied(const Tensor& whole, const Tensor& memory, int turn) const;

    int m_count;
    std::int64_t m_rows = 0;
    std::vector<Leaf> m_leaves;  // memory, by turn
    std::vector<Batch> m_batches;
};

}  // namespace ringside
