// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "nn/layer/layer.h"

namespace ringside {

// Whole tensor in host memory, as a checkpoint contains it: the value of a parameter or buffer, or a tensor of the
// optimizer's state for a parameter.
struct WholeTensor {
    const Parameter& of;           // parameter or buffer to which the tensor belongs; defines name, shape and type
    const char* kept = "";         // name of the tensor in the optimizer's state, such as "exp_avg"; empty for the
                                   // value of `of`
    std::span<std::byte> bytes{};  // contents of the tensor; the size follows from shape and type
};
using TensorVisitor = std::function<void(const WholeTensor&)>;

// Access to the whole tensors of a model that no rank holds as a whole. Tensors are read or written one after the
// other: first parameters and buffers, then the optimizer's state. All functions except optimizerTensorNames() are
// collective over all ranks.
class WholeTensorAccess {
  public:
    virtual ~WholeTensorAccess() = default;
    // Calls `visit` with each whole tensor, on all ranks in the same order. optimizerToo: true to include the
    // optimizer's state.
    virtual void read(const TensorVisitor& visit, bool optimizerToo) = 0;
    // Calls `fill` for each whole tensor, which must write its values into `bytes`. Each rank then stores its part of
    // the tensor.
    virtual void write(const TensorVisitor& fill) = 0;
    // Returns the names of the optimizer's tensors for each parameter, such as "exp_avg".
    virtual std::vector<const char*> optimizerTensorNames() const = 0;
};

}  // namespace ringside
