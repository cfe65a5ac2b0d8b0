// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tensor/tensor.h"

// Pointer and sizes of a tensor in the form that kernels take.
namespace ringside::cuda {

inline float* floats(const Tensor& tensor) {
    return static_cast<float*>(tensor.data);
}

inline std::size_t countOf(const Tensor& tensor) {
    return static_cast<std::size_t>(tensor.count());
}

inline std::size_t rowsOf(const Tensor& tensor) {
    return static_cast<std::size_t>(tensor.rows());
}

inline std::size_t columnsOf(const Tensor& tensor) {
    return static_cast<std::size_t>(tensor.shape.countPerRow());
}

// Returns the last dimension: the number of channels of channels-last images.
inline std::size_t channelsOf(const Tensor& tensor) {
    return static_cast<std::size_t>(tensor.shape[tensor.shape.dimensions() - 1]);
}

}  // namespace ringside::cuda
