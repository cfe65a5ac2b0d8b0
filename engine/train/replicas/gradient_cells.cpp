// SPDX-License-Identifier: Apache-2.0
#include "train/replicas/gradient_cells.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "telemetry/events/limits.h"

namespace ringside {
namespace {

std::int64_t blocks(std::int64_t count, std::int64_t size) {
    return (count + size - 1) / size;
}

// Height and width of the block of values that one cell covers. blocksFor() increases the size in the direction with
// more cells until the grid is small enough.
struct Blocks {
    std::int64_t high = 1;
    std::int64_t wide = 1;
};

Blocks blocksFor(std::int64_t rows, std::int64_t columns, std::int64_t most) {
    Blocks size;
    for (;;) {
        const std::int64_t down = blocks(rows, size.high);
        const std::int64_t right = blocks(columns, size.wide);
        const bool fits = down * right <= most && down <= limits::kMaxSide && right <= limits::kMaxSide;
        if (fits) return size;
        ++(down > right ? size.high : size.wide);
    }
}

}  // namespace

std::int64_t maxCellsPerTensor(std::size_t tensors) {
    constexpr std::int64_t kInAll = 16384;
    constexpr std::int64_t kOfOne = 2048;
    return std::clamp<std::int64_t>(kInAll / std::max<std::int64_t>(static_cast<std::int64_t>(tensors), 1), 4, kOfOne);
}

GradientCells cellsOf(std::span<const float> values, const Shape& shape, std::int64_t most) {
    const auto count = static_cast<std::int64_t>(values.size());
    const std::int64_t rows = shape.dimensions() > 1 ? std::max<std::int64_t>(shape[0], 1) : 1;
    const std::int64_t columns = std::max<std::int64_t>(count / rows, 1);
    const Blocks size = blocksFor(rows, columns, most);
    GradientCells cells{blocks(rows, size.high), blocks(columns, size.wide), {}};
    cells.values.assign(static_cast<std::size_t>(cells.rows * cells.columns), 0.0);
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t place = i / columns / size.high * cells.columns + i % columns / size.wide;
        double& cell = cells.values[static_cast<std::size_t>(place)];
        const auto value = static_cast<double>(values[static_cast<std::size_t>(i)]);
        if (!(std::abs(value) <= std::abs(cell))) cell = value;
    }
    return cells;
}

std::int64_t tensorChecksum(std::span<const float> values) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const float one : values) {
        hash ^= std::bit_cast<std::uint32_t>(one);
        hash *= 0x100000001b3;
    }
    return static_cast<std::int64_t>(hash >> 11);
}

}  // namespace ringside
