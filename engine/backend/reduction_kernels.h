// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backend/exact_squares.h"
#include "tensor/tensor.h"

namespace ringside {

struct UpdateRules;  // update_state.h

// Operations of a device for reductions over ranks that hold parts of the gradients, or parts of a batch (leaves) whose
// gradients are added in a tree. They run in the order of the backend's other operations, and their results stay in the
// device's memory, so that the host does not wait for them.
//
// Tensors of numbers that have no DType: sums of squares are doubles in tensors of kUInt8 (8 bytes each).
class ReductionKernels {
  public:
    virtual ~ReductionKernels() = default;

    // Copies every `step`-th row of `from`, starting with row `first`, to the rows of `to`. Both have the same type and
    // row size.
    virtual void copyEveryNth(const Tensor& from, std::int64_t first, std::int64_t step, const Tensor& to) = 0;

    // Writes the sum of squares of each row of `tensor` to `squares`. A GPU may write the sum of all rows into the
    // first element of `squares` and zeros into all other elements.
    virtual void squaresOfRows(const Tensor& tensor, const Tensor& squares) = 0;
    // Writes the square of each tensor's norm to `squares`, rounded as clip_grad_norm_ rounds it. rows: the sums of
    // squares of the rows of all tensors, one tensor after the other. ends: for each tensor, the index in `rows` one
    // past its last row (kInt64).
    virtual void squaresOfTensors(const Tensor& rows, const Tensor& ends, const Tensor& squares) = 0;

    // Adds the squares of `values` to the kExactSums sums (kInt64) of exact_squares.h.
    virtual void addExactSquares(const Tensor& values, const Tensor& sums) = 0;
    // Writes to `square` the total of the kExactSums sums: the sum of all squares that addExactSquares() added.
    virtual void totalOfExactSquares(const Tensor& sums, const Tensor& square) = 0;

    // Decides on the step's update as Backend::decideUpdate(). The squared norm of all gradients of the model is the
    // sum of `squares`.
    virtual void decideUpdate(const Tensor& squares, const UpdateRules& rules, const Tensor& state) = 0;
};

// Returns a tensor of `count` doubles at `data`.
inline Tensor doublesAt(void* data, std::int64_t count, Device device) {
    return {data, {count * static_cast<std::int64_t>(sizeof(double))}, DType::kUInt8, device};
}

// Returns the number of doubles in a tensor.
inline std::size_t doublesIn(const Tensor& tensor) {
    return tensor.bytes() / sizeof(double);
}

}  // namespace ringside
