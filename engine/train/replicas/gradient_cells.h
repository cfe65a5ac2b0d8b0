// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tensor/shape.h"

namespace ringside {

// A tensor as a grid of cells: its first dimension down, the rest to the right; a tensor that has more values than
// cells are allowed is shown by the value of each block of equal size that is furthest from zero.
struct GradientCells {
    std::int64_t rows = 1;
    std::int64_t columns = 1;
    std::vector<double> values = {};
};

GradientCells cellsOf(std::span<const float> values, const Shape& shape, std::int64_t most);

// So many cells of each of so many tensors that a line of telemetry stays below some 200 kB.
std::int64_t mostCells(std::size_t tensors);

// FNV-1a, a value at a time, of which 53 bits are kept: every reader of JSON has them exactly.
std::int64_t tensorChecksum(std::span<const float> values);

}  // namespace ringside
