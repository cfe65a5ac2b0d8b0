// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/kernels/images.h"

#include <algorithm>
#include <limits>

#include "backend/cpu/support/parts.h"

namespace ringside::cpu {

namespace {

constexpr std::size_t kBlock = kChannelBlock;
constexpr std::uint8_t kNoWinner = 255;  // value of `winners` for a window whose values are all below 0, so that the
                                         // ReLU's 0 is the largest value

RINGSIDE_VECTORISED void transpose(const float* __restrict x, float* __restrict y, std::size_t rows,
                                   std::size_t columns) {
    for (std::size_t r0 = 0; r0 < rows; r0 += kBlock)
        for (std::size_t c0 = 0; c0 < columns; c0 += kBlock)
            for (std::size_t c = c0; c < std::min(columns, c0 + kBlock); ++c)
                for (std::size_t r = r0; r < std::min(rows, r0 + kBlock); ++r) y[c * rows + r] = x[r * columns + c];
}

// Sizes of max-pooling.
struct PoolSizes {
    explicit PoolSizes(const MaxPoolSpec& spec)
        : kernel(static_cast<std::size_t>(spec.kernel)),
          channels(static_cast<std::size_t>(spec.channels)),
          width(static_cast<std::size_t>(spec.width)),
          height(static_cast<std::size_t>(spec.height)),
          outWidth(width / kernel),
          outHeight(height / kernel) {}
    std::size_t inCount() const { return height * width * channels; }
    // Returns the offset of a value within a row of pooling windows. o: index of the window in the row. i: index of the
    // value in its window.
    std::size_t place(std::size_t o, std::size_t i) const {
        return ((i / kernel) * width + o * kernel + i % kernel) * channels;
    }
    std::size_t outCount() const { return outHeight * outWidth * channels; }
    std::size_t kernel, channels, width, height, outWidth, outHeight;
};

// Pools one row of windows. The first of equal values wins, and NaN is larger than any number, as in PyTorch.
RINGSIDE_VECTORISED void poolRow(const float* __restrict x, float* __restrict y, std::uint8_t* __restrict winners,
                                 PoolSizes s, float least) {
    for (std::size_t c = 0; c < s.outWidth * s.channels; ++c) {
        y[c] = least;
        winners[c] = kNoWinner;
    }
    for (std::size_t o = 0; o < s.outWidth; ++o, y += s.channels, winners += s.channels)
        for (std::size_t i = 0; i < s.kernel * s.kernel; ++i) {
            const float* in = x + s.place(o, i);
            for (std::size_t c = 0; c < s.channels; ++c) {
                const bool stays = in[c] <= y[c] || y[c] != y[c];
                y[c] = stays ? y[c] : in[c];
                winners[c] = stays ? winners[c] : static_cast<std::uint8_t>(i);
            }
        }
}

// Pools windows of 2 x 2 values. `below` points to the lower row, so that no value is read twice.
[[gnu::always_inline]] inline void poolFour(const float* __restrict x, const float* __restrict below,
                                            float* __restrict y, std::uint8_t* __restrict winners, std::size_t channels,
                                            float least) {
    for (std::size_t c = 0; c < channels; ++c) {
        float best = least;
        int winner = kNoWinner;
        const float values[4] = {x[c], x[c + channels], below[c], below[c + channels]};
        for (int i = 0; i < 4; ++i) {
            const bool stays = values[i] <= best || best != best;
            winner = stays ? winner : i;
            best = stays ? best : values[i];
        }
        y[c] = best;
        winners[c] = static_cast<std::uint8_t>(winner);
    }
}

// Pools one row of 2 x 2 windows. The loop over a block of channels has a length known at compile time, which avoids a
// remainder loop.
RINGSIDE_VECTORISED void poolRowOfFour(const float* __restrict x, float* __restrict y, std::uint8_t* __restrict winners,
                                       PoolSizes s, float least) {
    const float* below = x + s.width * s.channels;
    const std::size_t end = s.outWidth * s.channels;
    if (s.channels == kBlock)
        for (std::size_t c = 0; c < end; c += kBlock)
            poolFour(x + 2 * c, below + 2 * c, y + c, winners + c, kBlock, least);
    else
        for (std::size_t c = 0; c < end; c += s.channels)
            poolFour(x + 2 * c, below + 2 * c, y + c, winners + c, s.channels, least);
}

RINGSIDE_VECTORISED void spreadRow(const float* __restrict gradY, const std::uint8_t* __restrict winners,
                                   float* __restrict gradX, PoolSizes s) {
    for (std::size_t o = 0; o < s.outWidth; ++o, gradY += s.channels, winners += s.channels)
        for (std::size_t i = 0; i < s.kernel * s.kernel; ++i) {
            float* out = gradX + s.place(o, i);
            for (std::size_t c = 0; c < s.channels; ++c) {
                const float gradient = gradY[c];
                out[c] = winners[c] == i ? gradient : 0;
            }
        }
}

// Sets gradX to 0 in the rows and columns of the image that belong to no pooling window.
void clearRest(float* gradX, const PoolSizes& s) {
    const std::size_t row = s.width * s.channels;
    const std::size_t used = s.outWidth * s.kernel * s.channels;
    for (std::size_t y = 0; y < s.outHeight * s.kernel; ++y)
        std::fill(gradX + y * row + used, gradX + (y + 1) * row, 0.0F);
    std::fill(gradX + s.outHeight * s.kernel * row, gradX + s.inCount(), 0.0F);
}

RINGSIDE_VECTORISED void meanOfPixels(const float* __restrict x, float* __restrict y, std::size_t pixels,
                                      std::size_t channels) {
    for (std::size_t c = 0; c < channels; ++c) y[c] = 0;
    for (std::size_t p = 0; p < pixels; ++p, x += channels)
        for (std::size_t c = 0; c < channels; ++c) y[c] += x[c];
    for (std::size_t c = 0; c < channels; ++c) y[c] /= static_cast<float>(pixels);
}

RINGSIDE_VECTORISED void spreadMean(const float* __restrict gradY, float* __restrict gradX, std::size_t pixels,
                                    std::size_t channels) {
    for (std::size_t p = 0; p < pixels; ++p, gradX += channels)
        for (std::size_t c = 0; c < channels; ++c) gradX[c] = gradY[c] / static_cast<float>(pixels);
}

template <class Visit>
void forEachRow(const PoolSizes& s, const Visit& visit) {
    for (std::size_t y = 0; y < s.outHeight; ++y)
        visit(y * s.kernel * s.width * s.channels, y * s.outWidth * s.channels);
}

}  // namespace

void transposeSamples(const float* x, float* y, std::size_t samples, std::size_t rows, std::size_t columns,
                      int threads) {
    forEach(threads, samples,
            [&](std::size_t i) { transpose(x + i * rows * columns, y + i * rows * columns, rows, columns); });
}

void maxPool(const float* x, float* y, std::uint8_t* winners, std::size_t images, const MaxPoolSpec& spec,
             int threads) {
    const PoolSizes s(spec);
    const float least = spec.relu ? 0.0F : -std::numeric_limits<float>::infinity();
    const auto pool = s.kernel == 2 ? poolRowOfFour : poolRow;
    forEach(threads, images, [&](std::size_t i) {
        const float* from = x + i * s.inCount();
        const std::size_t to = i * s.outCount();
        forEachRow(
            s, [&](std::size_t in, std::size_t out) { pool(from + in, y + to + out, winners + to + out, s, least); });
    });
}

void maxPoolGradient(const float* gradY, const std::uint8_t* winners, float* gradX, std::size_t images,
                     const MaxPoolSpec& spec, int threads) {
    const PoolSizes s(spec);
    forEach(threads, images, [&](std::size_t i) {
        const std::size_t from = i * s.outCount();
        float* to = gradX + i * s.inCount();
        forEachRow(s, [&](std::size_t in, std::size_t out) {
            spreadRow(gradY + from + out, winners + from + out, to + in, s);
        });
        clearRest(to, s);
    });
}

void averagePool(const float* x, float* y, std::size_t images, std::size_t pixels, std::size_t channels, int threads) {
    forEach(threads, images,
            [&](std::size_t i) { meanOfPixels(x + i * pixels * channels, y + i * channels, pixels, channels); });
}

void averagePoolGradient(const float* gradY, float* gradX, std::size_t images, std::size_t pixels, std::size_t channels,
                         int threads) {
    forEach(threads, images,
            [&](std::size_t i) { spreadMean(gradY + i * channels, gradX + i * pixels * channels, pixels, channels); });
}

}  // namespace ringside::cpu
