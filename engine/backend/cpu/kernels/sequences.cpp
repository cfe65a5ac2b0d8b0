// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/kernels/sequences.h"

#include <algorithm>

#include "backend/cpu/support/parts.h"
#include "backend/dropout_mask.h"

namespace ringside::cpu {

namespace {

const float* wordAt(const float* tokens, std::size_t row, const float* table, std::size_t words, std::size_t width) {
    const auto word = static_cast<std::size_t>(tokens[row]);
    RINGSIDE_ASSERT(tokens[row] >= 0 && word < words);
    return table + word * width;
}

RINGSIDE_VECTORISED void addTo(float* __restrict sum, const float* __restrict values, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) sum[i] += values[i];
}

RINGSIDE_VECTORISED void dropPart(const float* x, float* y, std::size_t first, std::size_t end, std::uint64_t key,
                                  std::uint32_t threshold, float scale) {
    for (std::size_t i = first; i < end; ++i)
        y[i] = dropoutKeeps(key, static_cast<std::uint32_t>(i), threshold) ? x[i] * scale : 0;
}

RINGSIDE_VECTORISED void addRows(const float* x, const float* row, float* y, std::size_t rows, std::size_t count) {
    for (std::size_t r = 0; r < rows; ++r, x += count, y += count)
        for (std::size_t i = 0; i < count; ++i) y[i] = x[i] + row[i];
}

}  // namespace

void dropout(const float* x, float* y, std::size_t count, std::uint64_t key, double probability, int threads) {
    const std::uint32_t threshold = dropoutThreshold(probability);
    const auto scale = static_cast<float>(1 / (1 - probability));
    forEachPart(threads, count, kValuesPerPart,
                [&](std::size_t i, std::size_t end) { dropPart(x, y, i, end, key, threshold, scale); });
}

void embedding(const float* tokens, std::size_t rows, const float* table, std::size_t words, std::size_t width,
               float* y) {
    for (std::size_t r = 0; r < rows; ++r) std::copy_n(wordAt(tokens, r, table, words, width), width, y + r * width);
}

// Each thread processes its own columns of the table, so that the gradients in each column are always added in the same
// order.
void embeddingGradient(const float* tokens, std::size_t rows, const float* gradY, float* gradTable, std::size_t words,
                       std::size_t width, int threads) {
    constexpr std::size_t kColumns = 32;
    const int useful = rows * width < kValuesPerPart ? 1 : threads;
    forEachPart(useful, width, useful > 1 ? kColumns : width, [&](std::size_t column, std::size_t end) {
        for (std::size_t word = 0; word < words; ++word)
            std::fill(gradTable + word * width + column, gradTable + word * width + end, 0.0F);
        for (std::size_t r = 0; r < rows; ++r)
            addTo(const_cast<float*>(wordAt(tokens, r, gradTable, words, width)) + column, gradY + r * width + column,
                  end - column);
    });
}

void addRow(const float* x, const float* row, float* y, std::size_t rows, std::size_t count, int threads) {
    forEachPart(threads, rows, rowsPerPart(count),
                [&](std::size_t r, std::size_t end) { addRows(x + r * count, row, y + r * count, end - r, count); });
}

}  // namespace ringside::cpu
