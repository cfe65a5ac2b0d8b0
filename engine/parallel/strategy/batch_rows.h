// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "nn/models/loss.h"

namespace ringside {

// Returns the rows of a tensor for the samples from `first` to `first + count - 1` of a batch. samples: number of
// samples in the batch. A tensor of sequences has several rows for each sample.
inline Tensor rowsFrom(const Tensor& tensor, std::int64_t first, std::int64_t count, std::int64_t samples) {
    if (!tensor) return tensor;
    const std::int64_t perSample = tensor.rows() / samples;
    const std::size_t rowBytes = tensor.bytes() / static_cast<std::size_t>(tensor.rows());
    char* begin = static_cast<char*>(tensor.data) + static_cast<std::size_t>(first * perSample) * rowBytes;
    return {begin, tensor.shape.withRows(count * perSample), tensor.type, tensor.device};
}

inline Batch rowsFrom(const Batch& batch, std::int64_t first, std::int64_t count) {
    return {rowsFrom(batch.features, first, count, batch.rows()), rowsFrom(batch.labels, first, count, batch.rows()),
            rowsFrom(batch.targets, first, count, batch.rows())};
}

}  // namespace ringside
