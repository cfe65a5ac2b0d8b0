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

// Squared norm of a model's gradients whose rows (the first dimension) are distributed over ranks.
//
// Each rank writes the sums of squares of the rows that it holds, an all-reduce adds the zeros of the other ranks, and
// each rank then adds the rows of a tensor in the order of the rows and the tensors in the order of the model. The
// result does not depend on which rank holds which rows: on a CPU it has the bits of Backend::decideUpdate() of whole
// tensors. All sums stay in the device's memory.
class RowSquares {
  public:
    // parameters: the parameters of the whole model in their order. backend and memory must outlive this object.
    RowSquares(const std::vector<Parameter*>& parameters, Backend& backend, StepMemory& memory);

    void clear();
    // Returns the part of the memory that holds the sums of `count` rows of a parameter, starting at row `first`: one
    // double per row, to be written by ReductionKernels::squaresOfRows().
    Tensor squaresOfRows(const std::string& parameter, std::int64_t first, std::int64_t count) const;
    // Returns the square of each tensor's norm, as doubles whose sum is the squared norm. Collective over all ranks
    // that hold rows.
    Tensor squaredNorms(Communicator& ranks, ReductionKernels& kernels);

  private:
    // Range of elements of the tensor m_rows.
    struct Place {
        std::int64_t first = 0;
        std::int64_t count = 0;
    };
    Backend& m_backend;
    std::map<std::string, Place> m_placeOf;  // range of each parameter, by the parameter's name
    Tensor m_rows;                           // sums of squares of all rows of the model
    // For each tensor, the number of rows of the model up to the end of this tensor.
    Tensor m_ends;
    Tensor m_squares;  // square of each tensor's norm
};

}  // namespace ringside
