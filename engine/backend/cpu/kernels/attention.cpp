// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/kernels/attention.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "backend/cpu/support/exponential.h"
#include "backend/cpu/support/parts.h"
#include "backend/cpu/support/tile_product.h"

namespace ringside::cpu {

namespace {

constexpr std::size_t kQueryBlock = 24;  // number of queries (rows of scores) that are processed together

// Sizes of attention, and the positions of a head's values in the input and the output.
struct HeadSizes {
    explicit HeadSizes(const AttentionSpec& spec)
        : positions(static_cast<std::size_t>(spec.positions)),
          heads(static_cast<std::size_t>(spec.heads)),
          size(static_cast<std::size_t>(spec.headSize)),
          scale(static_cast<float>(1 / std::sqrt(static_cast<double>(spec.headSize)))) {}

    std::size_t width() const { return heads * size; }
    std::size_t padded() const { return panelCount(size) * kPanel; }
    std::size_t paddedPositions() const { return panelCount(positions) * kPanel; }
    // number: index of the head among the heads of all sequences of the batch, sequence * heads + head. query() returns
    // the offset of the head's first query in qkv. In each row of qkv, a head's key lies width() numbers behind its
    // query, and its value (v) 2 * width() numbers behind. value() returns the offset of the head's first output in y.
    std::size_t query(std::size_t number) const {
        return number / heads * positions * 3 * width() + number % heads * size;
    }
    std::size_t value(std::size_t number) const { return number / heads * positions * width() + number % heads * size; }

    std::size_t positions, heads, size;
    float scale;
};

// Working memory of one thread. Grows when a head needs more memory.
struct Workspace {
    float* floats(std::size_t count) {
        if (m_values.size() < count) m_values.resize(count);
        return m_values.data();
    }

  private:
    std::vector<float> m_values;
};

thread_local Workspace workspace;

// Scores of a block of consecutive queries, of which `first` is the first one. The scores are later overwritten by the
// attention weights. Row r contains query first + r, which attends to the keys 0 to first + r.
struct Scores {
    float* values;
    std::size_t stride, first, rows;
};

inline float largestOf(const float* row, std::size_t count) {
    float lanes[8];
    for (float& lane : lanes) lane = row[0];
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8)
        for (std::size_t lane = 0; lane < 8; ++lane)
            lanes[lane] = row[i + lane] > lanes[lane] ? row[i + lane] : lanes[lane];
    for (; i < count; ++i) lanes[0] = row[i] > lanes[0] ? row[i] : lanes[0];
    float largest = lanes[0];
    for (const float lane : lanes) largest = lane > largest ? lane : largest;
    return largest;
}

inline float sumOfRow(const float* row, std::size_t count) {
    float lanes[8] = {};
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8)
        for (std::size_t lane = 0; lane < 8; ++lane) lanes[lane] += row[i + lane];
    for (; i < count; ++i) lanes[0] += row[i];
    float sum = 0;
    for (const float lane : lanes) sum += lane;
    return sum;
}

// Replaces the scores by shares (attention weights): the softmax over the visible keys of each row, and 0 for later
// keys.
[[gnu::always_inline]] inline void toShares(Scores s, float scale, std::size_t keys, float* logSums) {
    for (std::size_t r = 0; r < s.rows; ++r) {
        float* __restrict row = s.values + r * s.stride;
        const std::size_t seen = s.first + r + 1;
        const float largest = largestOf(row, seen) * scale;
        for (std::size_t c = 0; c < seen; ++c) row[c] = expOfNonPositive(row[c] * scale - largest);
        const float sum = sumOfRow(row, seen);
        const float share = 1 / sum;
        for (std::size_t c = 0; c < seen; ++c) row[c] *= share;
        for (std::size_t c = seen; c < keys; ++c) row[c] = 0;
        logSums[s.first + r] = largest + std::log(sum);
    }
}

RINGSIDE_VECTORISED void attendHead(const float* queries, float* logSums, float* y, HeadSizes s) {
    const std::size_t stride = 3 * s.width();
    float* keys = workspace.floats(s.paddedPositions() * s.size + s.positions * s.padded() +
                                   kQueryBlock * (s.paddedPositions() + s.padded()));
    float* values = keys + s.paddedPositions() * s.size;
    float* scores = values + s.positions * s.padded();
    float* out = scores + kQueryBlock * s.paddedPositions();
    packPanels({queries + s.width(), 1, stride}, s.size, s.positions, keys);
    packPanels({queries + 2 * s.width(), stride, 1}, s.positions, s.size, values);
    for (std::size_t first = 0; first < s.positions; first += kQueryBlock) {
        const std::size_t rows = std::min(kQueryBlock, s.positions - first);
        const std::size_t seen = first + rows;
        const Scores block{scores, panelCount(seen) * kPanel, first, rows};
        multiplyTiles<false>({queries + first * stride, stride, 1}, keys, scores, rows, seen, s.size);
        toShares(block, s.scale, seen, logSums);
        for (std::size_t panel = 0; panel < panelCount(s.size); ++panel)
            for (std::size_t r = 0; r < rows; r += kTileRows)
                multiplyTile<false>({scores + r * block.stride, block.stride, 1}, values + panel * s.positions * kPanel,
                                    seen, out + r * s.padded() + panel * kPanel, s.padded(),
                                    std::min(kTileRows, rows - r));
        for (std::size_t r = 0; r < rows; ++r) std::copy_n(out + r * s.padded(), s.size, y + (first + r) * s.width());
    }
}

// Recomputes the shares from the scores. Replaces the gradients with respect to the shares, in `slopes`, by the
// gradients with respect to the scores.
[[gnu::always_inline]] inline void toSlopes(Scores shares, float* slopes, float scale, std::size_t keys,
                                            const float* logSums) {
    for (std::size_t r = 0; r < shares.rows; ++r) {
        float* __restrict share = shares.values + r * shares.stride;
        float* __restrict slope = slopes + r * shares.stride;
        const std::size_t seen = shares.first + r + 1;
        const float logSum = logSums[shares.first + r];
        for (std::size_t c = 0; c < seen; ++c) {
            const float apart = share[c] * scale - logSum;
            share[c] = expOfNonPositive(apart < 0 ? apart : 0);
        }
        for (std::size_t c = 0; c < seen; ++c) slope[c] *= share[c];
        const float along = sumOfRow(slope, seen);
        for (std::size_t c = 0; c < seen; ++c) slope[c] = (slope[c] - share[c] * along) * scale;
        for (std::size_t c = seen; c < keys; ++c) share[c] = slope[c] = 0;
    }
}

// Arrays of working memory for the backward pass of one head, one after the other.
struct GradientSpace {
    GradientSpace(const HeadSizes& s, std::size_t seenMost)
        : keys(workspace.floats(2 * seenMost * s.size + 3 * s.positions * s.padded() + 2 * kQueryBlock * seenMost +
                                3 * kQueryBlock * s.padded())),
          valuesAcross(keys + seenMost * s.size),
          keysDown(valuesAcross + seenMost * s.size),
          gradKeys(keysDown + s.positions * s.padded()),
          gradValues(gradKeys + s.positions * s.padded()),
          shares(gradValues + s.positions * s.padded()),
          slopes(shares + kQueryBlock * seenMost),
          gradQueries(slopes + kQueryBlock * seenMost),
          queries(gradQueries + kQueryBlock * s.padded()),
          gradOut(queries + kQueryBlock * s.padded()) {}
    float *keys, *valuesAcross, *keysDown;  // k^T, v^T and k, packed in panels (tile_product.h)
    float *gradKeys, *gradValues;  // gradients of k and v: (positions, head size rounded up to a multiple of kPanel)
    // for a block of queries: attention weights, gradients of the weights, gradients of the queries
    float *shares, *slopes, *gradQueries;
    float *queries, *gradOut;  // queries of a block and gradients of its outputs, packed in panels (tile_product.h)
};

RINGSIDE_VECTORISED void attendHeadGradient(const float* queries, const float* logSums, const float* gradY,
                                            float* gradQueries, HeadSizes s) {
    const std::size_t stride = 3 * s.width();
    const GradientSpace space(s, s.paddedPositions());
    packPanels({queries + s.width(), 1, stride}, s.size, s.positions, space.keys);
    packPanels({queries + 2 * s.width(), 1, stride}, s.size, s.positions, space.valuesAcross);
    packPanels({queries + s.width(), stride, 1}, s.positions, s.size, space.keysDown);
    std::fill_n(space.gradKeys, 2 * s.positions * s.padded(), 0.0F);
    for (std::size_t first = 0; first < s.positions; first += kQueryBlock) {
        const std::size_t rows = std::min(kQueryBlock, s.positions - first);
        const std::size_t seen = first + rows;
        const std::size_t across = panelCount(seen) * kPanel;
        multiplyTiles<false>({queries + first * stride, stride, 1}, space.keys, space.shares, rows, seen, s.size);
        multiplyTiles<false>({gradY + first * s.width(), s.width(), 1}, space.valuesAcross, space.slopes, rows, seen,
                             s.size);
        toSlopes({space.shares, across, first, rows}, space.slopes, s.scale, seen, logSums);
        for (std::size_t panel = 0; panel < panelCount(s.size); ++panel)
            for (std::size_t r = 0; r < rows; r += kTileRows)
                multiplyTile<false>(
                    {space.slopes + r * across, across, 1}, space.keysDown + panel * s.positions * kPanel, seen,
                    space.gradQueries + r * s.padded() + panel * kPanel, s.padded(), std::min(kTileRows, rows - r));
        for (std::size_t r = 0; r < rows; ++r)
            std::copy_n(space.gradQueries + r * s.padded(), s.size, gradQueries + (first + r) * stride);
        packPanels({queries + first * stride, stride, 1}, rows, s.size, space.queries);
        packPanels({gradY + first * s.width(), s.width(), 1}, rows, s.size, space.gradOut);
        multiplyTiles<true>({space.slopes, 1, across}, space.queries, space.gradKeys, seen, s.size, rows);
        multiplyTiles<true>({space.shares, 1, across}, space.gradOut, space.gradValues, seen, s.size, rows);
    }
    for (std::size_t t = 0; t < s.positions; ++t) {
        float* to = gradQueries + t * stride;
        std::copy_n(space.gradKeys + t * s.padded(), s.size, to + s.width());
        std::copy_n(space.gradValues + t * s.padded(), s.size, to + 2 * s.width());
    }
}

}  // namespace

void attention(const float* qkv, float* logSums, float* y, std::size_t sequences, const AttentionSpec& spec,
               int threads) {
    const HeadSizes s(spec);
    forEachPart(threads, sequences * s.heads, 1, [&](std::size_t number, std::size_t) {
        attendHead(qkv + s.query(number), logSums + number * s.positions, y + s.value(number), s);
    });
}

void attentionGradient(const float* qkv, const float* logSums, const float* gradY, float* gradQkv,
                       std::size_t sequences, const AttentionSpec& spec, int threads) {
    const HeadSizes s(spec);
    forEachPart(threads, sequences * s.heads, 1, [&](std::size_t number, std::size_t) {
        attendHeadGradient(qkv + s.query(number), logSums + number * s.positions, gradY + s.value(number),
                           gradQkv + s.query(number), s);
    });
}

}  // namespace ringside::cpu
