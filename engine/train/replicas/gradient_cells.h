// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tensor/shape.h"

namespace ringside {

// Tensor that is displayed as a grid of cells. A row is an index of the first dimension; the columns are all other
// dimensions. In a large tensor, each cell covers a block of values and shows the value of largest magnitude in it; all
// blocks have the same size.
struct GradientCells {
    std::int64_t rows = 1;
    std::int64_t columns = 1;
    std::vector<double> values = {};
};

GradientCells cellsOf(std::span<const float> values, const Shape& shape, std::int64_t most);

// Returns the maximum number of cells of a displayed tensor (GradientCells) in a model with this number of tensors.
// Keeps a line of telemetry below about 200 kB.
std::int64_t maxCellsPerTensor(std::size_t tensors);

// Returns an FNV-1a hash over the values, reduced to 53 bits, because all JSON parsers represent such integers exactly.
std::int64_t tensorChecksum(std::span<const float> values);

}  // namespace ringside
