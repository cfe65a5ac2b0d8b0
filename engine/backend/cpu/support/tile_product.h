// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace ringside::cpu {

// Matrix products for matrices so small that a library call would take as long as the product. B is stored in panels of
// kPanel columns, each of shape (depth, kPanel), the last padded with zeros; C's rows are padded to the same width.
// Include only where products and sums may be fused, and call from functions that are compiled for vectors.

inline constexpr std::size_t kPanel = 16;
inline constexpr std::size_t kTileRows = 6;

inline std::size_t panelCount(std::size_t columns) {
    return (columns + kPanel - 1) / kPanel;
}

// Matrix with arbitrary strides: its value (r, k) is data[r * row + k * column].
struct TileMatrix {
    const float* data;
    std::size_t row, column;
};

using EightFloats [[gnu::vector_size(32)]] = float;

// Computes c(rows,16) = or += a(rows,depth) b(depth,16) for 1 to kTileRows rows. If there are fewer than kTileRows
// rows, the tile is filled with copies of the last row, whose results are not stored.
template <bool kAdds>
[[gnu::always_inline]] inline void multiplyTile(TileMatrix a, const float* __restrict b, std::size_t depth,
                                                float* __restrict c, std::size_t stride, std::size_t rows) {
    EightFloats sums[kTileRows][2] = {};
    const float* from[kTileRows];
    for (std::size_t r = 0; r < kTileRows; ++r) from[r] = a.data + std::min(r, rows - 1) * a.row;
    for (std::size_t k = 0; k < depth; ++k, b += kPanel) {
        EightFloats left, right;
        std::memcpy(&left, b, sizeof left);
        std::memcpy(&right, b + 8, sizeof right);
#pragma GCC unroll 6
        for (std::size_t r = 0; r < kTileRows; ++r) {
            const float factor = from[r][k * a.column];
            sums[r][0] += factor * left;
            sums[r][1] += factor * right;
        }
    }
    for (std::size_t r = 0; r < rows; ++r, c += stride) {
        if (kAdds) {
            EightFloats left, right;
            std::memcpy(&left, c, sizeof left);
            std::memcpy(&right, c + 8, sizeof right);
            sums[r][0] += left;
            sums[r][1] += right;
        }
        std::memcpy(c, &sums[r][0], sizeof(EightFloats));
        std::memcpy(c + 8, &sums[r][1], sizeof(EightFloats));
    }
}

// Computes the product C(rows, columns) = A B, or adds the product to C if kAdds.
template <bool kAdds>
[[gnu::always_inline]] inline void multiplyTiles(TileMatrix a, const float* b, float* c, std::size_t rows,
                                                 std::size_t columns, std::size_t depth) {
    const std::size_t stride = panelCount(columns) * kPanel;
    for (std::size_t panel = 0; panel < panelCount(columns); ++panel)
        for (std::size_t r = 0; r < rows; r += kTileRows)
            multiplyTile<kAdds>({a.data + r * a.row, a.row, a.column}, b + panel * depth * kPanel, depth,
                                c + r * stride + panel * kPanel, stride, std::min(kTileRows, rows - r));
}

// Packs the panels of B from a matrix whose value (k, column) is data[k * b.row + column * b.column].
[[gnu::always_inline]] inline void packPanels(TileMatrix b, std::size_t depth, std::size_t columns,
                                              float* __restrict out) {
    for (std::size_t first = 0; first < columns; first += kPanel) {
        const std::size_t width = std::min(kPanel, columns - first);
        for (std::size_t k = 0; k < depth; ++k, out += kPanel) {
            for (std::size_t c = 0; c < width; ++c) out[c] = b.data[k * b.row + (first + c) * b.column];
            for (std::size_t c = width; c < kPanel; ++c) out[c] = 0;
        }
    }
}

}  // namespace ringside::cpu
