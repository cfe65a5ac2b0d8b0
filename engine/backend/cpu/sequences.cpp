// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/sequences.h"

#include <algorithm>
#include <cmath>

#include "backend/cpu/exponential.h"
#include "backend/cpu/matrix_product.h"
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

// Softmax of the first `seen` of a row's scores; the later positions get nothing.
RINGSIDE_VECTORISED void causalSoftmax(float* __restrict row, std::size_t seen, std::size_t columns) {
    float largest = row[0];
    for (std::size_t c = 1; c < seen; ++c) largest = row[c] > largest ? row[c] : largest;
    for (std::size_t c = 0; c < seen; ++c) row[c] = expOfNonPositive(row[c] - largest);
    float sum = 0;
    for (std::size_t c = 0; c < seen; ++c) sum += row[c];
    const float scale = 1 / sum;
    for (std::size_t c = 0; c < seen; ++c) row[c] *= scale;
    for (std::size_t c = seen; c < columns; ++c) row[c] = 0;
}

// Gradients by the shares become gradients by the scores before the softmax.
RINGSIDE_VECTORISED void softmaxGradient(const float* __restrict shares, float* __restrict gradient, std::size_t seen,
                                         std::size_t columns, float scale) {
    float along = 0;
    for (std::size_t c = 0; c < seen; ++c) along += shares[c] * gradient[c];
    for (std::size_t c = 0; c < seen; ++c) gradient[c] = shares[c] * (gradient[c] - along) * scale;
    for (std::size_t c = seen; c < columns; ++c) gradient[c] = 0;
}

// Where one head of one sequence is in memory.
struct Head {
    Head(std::size_t number, const AttentionSpec& spec)
        : positions(static_cast<std::size_t>(spec.positions)),
          size(static_cast<std::size_t>(spec.headSize)),
          width(static_cast<std::size_t>(spec.width())) {
        const auto heads = static_cast<std::size_t>(spec.heads);
        query = number / heads * positions * 3 * width + number % heads * size;
        value = number / heads * positions * width + number % heads * size;
        shares = number * positions * positions;
    }
    std::size_t positions, size, width;
    std::size_t query;  // its first query; keys and values are `width` and twice that further on
    std::size_t value;  // its first output
    std::size_t shares;
};

float scoreScale(const AttentionSpec& spec) {
    return static_cast<float>(1 / std::sqrt(static_cast<double>(spec.headSize)));
}

}  // namespace

RINGSIDE_VECTORISED void dropout(const float* x, float* y, std::size_t count, std::uint64_t key, double probability) {
    const std::uint32_t threshold = dropoutThreshold(probability);
    const auto scale = static_cast<float>(1 / (1 - probability));
    for (std::size_t i = 0; i < count; ++i)
        y[i] = dropoutKeeps(key, static_cast<std::uint32_t>(i), threshold) ? x[i] * scale : 0;
}

void embedding(const float* tokens, std::size_t rows, const float* table, std::size_t words, std::size_t width,
               float* y) {
    for (std::size_t r = 0; r < rows; ++r) std::copy_n(wordAt(tokens, r, table, words, width), width, y + r * width);
}

void embeddingGradient(const float* tokens, std::size_t rows, const float* gradY, float* gradTable, std::size_t words,
                       std::size_t width) {
    std::fill_n(gradTable, words * width, 0.0F);
    for (std::size_t r = 0; r < rows; ++r)
        addTo(const_cast<float*>(wordAt(tokens, r, gradTable, words, width)), gradY + r * width, width);
}

RINGSIDE_VECTORISED void addRow(const float* x, const float* row, float* y, std::size_t rows, std::size_t count) {
    for (std::size_t r = 0; r < rows; ++r, x += count, y += count)
        for (std::size_t i = 0; i < count; ++i) y[i] = x[i] + row[i];
}

void attention(const float* qkv, float* shares, float* y, std::size_t sequences, const AttentionSpec& spec,
               int threads) {
    const float scale = scoreScale(spec);
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (std::size_t number = 0; number < sequences * static_cast<std::size_t>(spec.heads); ++number) {
        const Head head(number, spec);
        const std::size_t t = head.positions;
        const float* queries = qkv + head.query;
        float* own = shares + head.shares;
        stridedProduct('N', 'T', {t, t, head.size}, scale, {queries, 3 * head.width},
                       {queries + head.width, 3 * head.width}, own, t);
        for (std::size_t row = 0; row < t; ++row) causalSoftmax(own + row * t, row + 1, t);
        stridedProduct('N', 'N', {t, head.size, t}, 1, {own, t}, {queries + 2 * head.width, 3 * head.width},
                       y + head.value, head.width);
    }
}

void attentionGradient(const float* qkv, const float* shares, const float* gradY, float* scratch, float* gradQkv,
                       std::size_t sequences, const AttentionSpec& spec, int threads) {
    const float scale = scoreScale(spec);
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (std::size_t number = 0; number < sequences * static_cast<std::size_t>(spec.heads); ++number) {
        const Head head(number, spec);
        const std::size_t t = head.positions;
        const std::size_t stride = 3 * head.width;
        const float* queries = qkv + head.query;
        const float* own = shares + head.shares;
        float* scores = scratch + head.shares;
        float* gradQueries = gradQkv + head.query;
        const Strided gradOut{gradY + head.value, head.width};
        stridedProduct('T', 'N', {t, head.size, t}, 1, {own, t}, gradOut, gradQueries + 2 * head.width, stride);
        stridedProduct('N', 'T', {t, t, head.size}, 1, gradOut, {queries + 2 * head.width, stride}, scores, t);
        for (std::size_t row = 0; row < t; ++row) softmaxGradient(own + row * t, scores + row * t, row + 1, t, scale);
        stridedProduct('N', 'N', {t, head.size, t}, 1, {scores, t}, {queries + head.width, stride}, gradQueries,
                       stride);
        stridedProduct('T', 'N', {t, head.size, t}, 1, {scores, t}, {queries, stride}, gradQueries + head.width,
                       stride);
    }
}

}  // namespace ringside::cpu
