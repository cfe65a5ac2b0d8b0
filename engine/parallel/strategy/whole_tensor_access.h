// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "nn/layer/layer.h"

namespace ringside {

// A whole tensor of a checkpoint in host memory: the value of a parameter or buffer, or a tensor of the optimizer's
// state for it.
struct WholeTensor {
    const Parameter& of;           // parameter or buffer that defines name, shape and type
    const char* kept = "";         // name of the optimizer's tensor, such as "exp_avg"; empty for the value
    std::span<std::byte> bytes{};  // contents of the tensor; the size follows from shape and type
};
using TensorVisitor = std::function<void(const WholeTensor&)>;

// Reads and writes the whole tensors of a model that no rank holds as a whole, one tensor after the other, the model's
// state first. All functions but kept() are collective over all ranks.
class WholeTensorAccess {
  public:
    virtual ~WholeTensorAccess() = default;
    // Calls the visitor with each whole tensor, on each rank. optimizerToo: also with the tensors of the optimizer.
    virtual void read(const TensorVisitor& visit, bool optimizerToo) = 0;
    // Calls `fill` for each whole tensor, which fills its contents; each rank then stores its part of the tensor.
    virtual void write(const TensorVisitor& fill) = 0;
    // Returns the names of the optimizer's tensors for each parameter, such as "exp_avg".
    virtual std::vector<const char*> kept() const = 0;
};

}  // namespace ringside
