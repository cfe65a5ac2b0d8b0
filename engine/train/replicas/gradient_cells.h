// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tensor/shape.h"

namespace ringside {

// Tensor displayed as a grid of cells: rows are the first dimension, columns all other dimensions. If the tensor has
// more values than cells, each cell shows the value of largest magnitude in a block; all blocks have the same size.
struct GradientCells {
    std::int64_t rows = 1;
    std::int64_t columns = 1;
    std::vector<double> values = {};
};

GradientCells cellsOf(std::span<const float> values, const Shape& shape, std::int64_t most);

// Returns the maximum number of cells per tensor for a model with this number of tensors. The maximum keeps a line of
// telemetry below about 200 kB.
std::int64_t maxCellsPerTensor(std::size_t tensors);

// Returns an FNV-1a hash over the values. Keeps 53 bits of the hash, because JSON parsers represent such integers
// exactly.
std::int64_t tensorChecksum(std::span<const float> values);

}  // namespace ringside
