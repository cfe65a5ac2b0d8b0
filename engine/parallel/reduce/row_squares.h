// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "backend/reduction_kernels.h"
#include "comm/communicator.h"
#include "nn/layer/layer.h"
#include "parallel/reduce/step_memory.h"

namespace ringside {

// Computes the squared norm of a model's gradients, whose rows (along the first dimension) are distributed over the
// ranks.
//
// Each rank writes the sums of squares of its own rows; the entries of all other rows are 0. An all-reduce combines the
// entries of all ranks. Each rank then adds the entries of each tensor in the order of its rows, and the sums of the
// tensors in the order of the model. The result does not depend on which rank holds which rows: on a CPU, it has the
// same bits as that of Backend::decideUpdate() for whole tensors. All sums stay in the device's memory.
class RowSquares {
  public:
    // parameters: all parameters of the whole model, in the order of the model. backend and memory must outlive this
    // object.
    RowSquares(const std::vector<Parameter*>& parameters, Backend& backend, StepMemory& memory);

    void clear();
    // Returns the entries for `count` rows of a parameter from row `first` on: one double for each row, which
    // ReductionKernels::squaresOfRows() writes.
    Tensor squaresOfRows(const std::string& parameter, std::int64_t first, std::int64_t count) const;
    // Combines the entries of all ranks. Returns the squared norm of each tensor, as doubles. Collective over all ranks
    // that hold rows.
    Tensor squaredNorms(Communicator& ranks, ReductionKernels& kernels);

  private:
    // Range of entries of a parameter in m_rows.
    struct EntryRange {
        std::int64_t first = 0;
        std::int64_t count = 0;
    };
    Backend& m_backend;
    std::map<std::string, EntryRange> m_rangeOf;  // range of each parameter, by the parameter's name
    Tensor m_rows;                                // one entry for each row of the model: the sum of the squares of its
                                                  // gradients
    // For each tensor, the index in m_rows of the entry after its last one.
    Tensor m_ends;
    Tensor m_squares;  // squared norm of each tensor
};

}  // namespace ringside
