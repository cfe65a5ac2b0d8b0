// SPDX-License-Identifier: Apache-2.0
// Kernels of causal self-attention: shares = softmax(q k^T / sqrt(headSize)), 0 above the diagonal, y = shares v, and
// the backward pass.
#pragma once

#include "backend/cuda/kernels/row_kernels.h"

namespace ringside::cuda {

// Sizes of attention. The row of shares (attention weights) of one sequence, head and position has the index ((sequence
// * heads) + head) * positions + position.
struct AttentionSizes {
    std::size_t positions = 1;
    std::size_t heads = 1;
    std::size_t headSize = 1;
    RINGSIDE_HOST_DEVICE std::size_t width() const { return heads * headSize; }
};

// Sequence, head and position to which a row of shares (attention weights) belongs. A row of qkv contains the queries
// of all heads for one position, then the keys, then the values.
struct HeadPlace {
    std::size_t sequence;
    std::size_t head;
    std::size_t position;
    RINGSIDE_HOST_DEVICE static HeadPlace of(std::size_t shareRow, const AttentionSizes& sizes) {
        const std::size_t perSequence = sizes.heads * sizes.positions;
        return {shareRow / perSequence, shareRow / sizes.positions % sizes.heads, shareRow % sizes.positions};
    }
};

// Computes one row of shares (attention weights): the softmax over the visible positions, 0 for later positions.
struct AttentionShareRow {
    const float* qkv;
    float* shares;
    AttentionSizes sizes;

    RINGSIDE_FOR_LANES void operator()(std::size_t row, const Lanes& lanes) const {
        const HeadPlace place = HeadPlace::of(row, sizes);
        const std::size_t width = sizes.width();
        const float* rows = qkv + place.sequence * sizes.positions * 3 * width + place.head * sizes.headSize;
        const float* query = rows + place.position * 3 * width;
        const auto scale = static_cast<float>(1 / sqrt(static_cast<double>(sizes.headSize)));
        float* share = shares + row * sizes.positions;
        Largest largest{-INFINITY, 0};
        for (std::size_t s = lanes.first(); s <= place.position; s += lanes.step()) {
            const float* key = rows + s * 3 * width + width;
            float product = 0;
            for (std::size_t d = 0; d < sizes.headSize; ++d) product = fmaf(query[d], key[d], product);
            share[s] = product * scale;
            largest = largerOf(largest, {share[s], static_cast<std::int64_t>(s)});
        }
        largest = lanes.largest(largest);
        float sum = 0;
        for (std::size_t s = lanes.first(); s <= place.position; s += lanes.step())
            sum += share[s] = expf(share[s] - largest.value);
        sum = lanes.sum(sum);
        for (std::size_t s = lanes.first(); s < sizes.positions; s += lanes.step())
            share[s] = s <= place.position ? share[s] / sum : 0;
    }
};

// Computes one value of attention's output. i is an index into y(B*T, width).
struct AttendedValue {
    const float* qkv;
    const float* shares;
    float* y;
    AttentionSizes sizes;

    RINGSIDE_HOST_DEVICE void operator()(std::size_t i) const {
        const std::size_t width = sizes.width();
        const std::size_t column = i % width;
        const std::size_t position = i / width % sizes.positions;
        const std::size_t sequence = i / (width * sizes.positions);
        const std::size_t head = column / sizes.headSize;
        const float* share = shares + ((sequence * sizes.heads + head) * sizes.positions + position) * sizes.positions;
        const float* value = qkv + sequence * sizes.positions * 3 * width + 2 * width + column;
        float sum = 0;
        for (std::size_t s = 0; s <= position; ++s) sum = fmaf(share[s], value[s * 3 * width], sum);
        y[i] = sum;
    }
};

// Computes the gradient with respect to q k^T, including the factor scale = 1 / sqrt(headSize): shares * (g -
// sum(shares * g)) * scale, where g is the gradient with respect to the shares.
struct AttentionScoreGradientRow {
    const float* qkv;
    const float* shares;
    const float* gradY;
    float* gradScores;
    AttentionSizes sizes;

    RINGSIDE_FOR_LANES void operator()(std::size_t row, const Lanes& lanes) const {
        const HeadPlace place = HeadPlace::of(row, sizes);
        const std::size_t width = sizes.width();
        const std::size_t start = place.sequence * sizes.positions;
        const std::size_t column = place.head * sizes.headSize;
        const float* gradient = gradY + (start + place.position) * width + column;
        const float* values = qkv + start * 3 * width + 2 * width + column;
        const float* share = shares + row * sizes.positions;
        float* out = gradScores + row * sizes.positions;
        const auto scale = static_cast<float>(1 / sqrt(static_cast<double>(sizes.headSize)));
        float along = 0;
        for (std::size_t s = lanes.first(); s <= place.position; s += lanes.step()) {
            float product = 0;
            for (std::size_t d = 0; d < sizes.headSize; ++d)
                product = fmaf(gradient[d], values[s * 3 * width + d], product);
            out[s] = product;
            along += product * share[s];
        }
        along = lanes.sum(along);
        for (std::size_t s = lanes.first(); s < sizes.positions; s += lanes.step())
            out[s] = s <= place.position ? share[s] * (out[s] - along) * scale : 0;
    }
};

// Computes one value of attention's gradient. i is an index into gradQkv(B*T, 3*width).
struct AttentionGradientValue {
    const float* qkv;
    const float* shares;
    const float* gradScores;
    const float* gradY;
    float* gradQkv;
    AttentionSizes sizes;

    RINGSIDE_HOST_DEVICE void operator()(std::size_t i) const {
        const std::size_t width = sizes.width();
        const std::size_t part = i % (3 * width) / width;
        const std::size_t column = i % width;
        const std::size_t position = i / (3 * width) % sizes.positions;
        const std::size_t sequence = i / (3 * width * sizes.positions);
        const std::size_t head = column / sizes.headSize;
        const std::size_t square = (sequence * sizes.heads + head) * sizes.positions * sizes.positions;
        const float* rows = qkv + sequence * sizes.positions * 3 * width + column;
        float sum = 0;
        if (part == 0) {
            for (std::size_t s = 0; s <= position; ++s)
                sum = fmaf(gradScores[square + position * sizes.positions + s], rows[s * 3 * width + width], sum);
        } else if (part == 1) {
            for (std::size_t t = position; t < sizes.positions; ++t)
                sum = fmaf(gradScores[square + t * sizes.positions + position], rows[t * 3 * width], sum);
        } else {
            const float* gradient = gradY + sequence * sizes.positions * width + column;
            for (std::size_t t = position; t < sizes.positions; ++t)
                sum = fmaf(shares[square + t * sizes.positions + position], gradient[t * width], sum);
        }
        gradQkv[i] = sum;
    }
};

}  // namespace ringside::cuda
