// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tensor/tensor.h"

namespace ringside::testing {

inline std::vector<float> valuesOf(const Tensor& tensor) {
    const auto values = tensor.floats();
    return {values.begin(), values.end()};
}

}  // namespace ringside::testing
