// SPDX-License-Identifier: Apache-2.0
// Kernels in which each thread computes one value, i being its index, for host and device. kernels.cu launches them on
// the GPU; the tests run them in a loop and compare them with the CPU backend.
#pragma once

#include "backend/cuda/kernels/device_math.h"
#include "backend/cuda/kernels/half_math.h"
#include "backend/dropout_mask.h"
#include "backend/exact_squares.h"

namespace ringside::cuda {

struct FillValue {
    float* values;
    float value;
    RINGSIDE_HOST_DEVICE void operator()(std::size_t i) const { values[i] = value; }
};

struct ScaleValue {
    float* values;
    float factor;
    RINGSIDE_HOST_DEVICE void operator()(std::size_t i) const { values[i] *= factor; }
};

struct AddValue {
    const float* from;
    float* to;
    RINGSIDE_HOST_DEVICE void operator()(std::size_t i) const { to[i] += from[i]; }
};

// Adds the values of `ranks` ranks (a power of two), which lie one behind the other, along the binary tree of
// training.reduction canonical: first the values of the ranks r and r + ranks / 2, then the sums that are ranks / 4
// apart, and so on. Overwrites `blocks`. `out` may be the block of the first rank.
struct TreeSumValue {
    float* blocks;  // values of all ranks: `count` values of each rank, one rank after the other
    std::size_t count;
    std::size_t ranks;
    float* out;
    RINGSIDE_HOST_DEVICE void operator()(std::size_t i) const {
        for (std::size_t half = ranks / 2; half > 0; half /= 2)
            for (std::size_t rank = 0; rank < half; ++rank)
                blocks[rank * count + i] += blocks[(rank + half) * count + i];
        out[i] = blocks[i];
    }
};

// Computes the total of exact sums of squares in a single thread.
struct ExactTotalValue {
    const std::int64_t* sums;
    double* square;
    RINGSIDE_HOST_DEVICE void operator()(std::size_t i) const { square[i] = totalOfExactSquares(sums); }
};

// Computes y(rows, columns) += bias(columns).
struct BiasedValue {
    float* y;
    const float* bias;
    std::size_t columns;
    RINGSIDE_HOST_DEVICE void operator()(std::size_t i) const { y[i] += bias[i % columns]; }
};

struct ReluValue {
    const float* x;
    float* y;
    RINGSIDE_HOST_DEVICE void operator()(std::size_t i) const { y[i] = reluOf(x[i]); }
};

struct ReluGradientValue {
    const float* y;
    const float* gradY;
    float* gradX;
    RINGSIDE_HOST_DEVICE void operator()(std::size_t i) const { gradX[i] = reluGradientOf(y[i], gradY[i]); }
};

struct CountedValue {
    std::int64_t* counter;
    RINGSIDE_HOST_DEVICE void operator()(std::size_t i) const { ++counter[i]; }
};

// Multiplies the gradient of the loss by the loss scale and by `share`, the weight of the micro-batch in the step's
// mean gradient.
struct LossScaledValue {
    float* gradient;
    float share;
    const UpdateState* state;
    RINGSIDE_HOST_DEVICE void operator()(std::size_t i) const {
        gradient[i] *= share * static_cast<float>(state->lossScale);
    }
};

// Decides on the update in a single thread, from the squared norms of the gradients.
struct DecidedValue {
    const double* squares;
    std::size_t gradients;
    UpdateRules rules;
    UpdateState* state;
    RINGSIDE_HOST_DEVICE void operator()(std::size_t) const {
        double sum = 0;
        for (std::size_t i = 0; i < gradients; ++i) sum += squares[i];
        decideUpdate(*state, rules, sum);
    }
};

// Updates one value as torch.optim.SGD. Values that are constant during a run are members, so that a recorded CUDA
// graph contains them; the other values are read from the state in device memory.
struct SgdValue {
    float* parameter;
    const float* gradient;
    float* momentum;  // momentum of each parameter; null if the optimizer has no momentum
    SgdScalars scalars;
    const UpdateState* state;
    RINGSIDE_HOST_DEVICE void operator()(std::size_t i) const {
        if (state->skipped) return;
        float velocity = momentum ? momentum[i] : 0;
        parameter[i] = sgdOf(parameter[i], gradient[i], &velocity, scalars, *state);
        if (momentum) momentum[i] = velocity;
    }
};

struct AdamValue {
    float* parameter;
    const float* gradient;
    float* first;
    float* second;
    AdamScalars scalars;
    const UpdateState* state;
    RINGSIDE_HOST_DEVICE void operator()(std::size_t i) const {
        if (state->skipped) return;
        parameter[i] = adamOf(parameter[i], gradient[i], first[i], second[i], scalars, *state);
    }
};

struct GeluValue {
    const float* x;
    float* y;
    RINGSIDE_HOST_DEVICE void operator()(std::size_t i) const { y[i] = geluOf(x[i]); }
};

struct GeluGradientValue {
    const float* x;
    const float* gradY;
    float* gradX;
    RINGSIDE_HOST_DEVICE void operator()(std::size_t i) const { gradX[i] = gradY[i] * geluSlopeOf(x[i]); }
};

// Computes y = x^T for each sample. i is an index into y.
struct TransposedValue {
    const float* x;
    float* y;
    std::size_t rows;  // number of rows of x
    std::size_t columns;
    RINGSIDE_HOST_DEVICE void operator()(std::size_t i) const {
        const std::size_t sample = i / (rows * columns);
        const std::size_t place = i % (rows * columns);
        y[i] = x[sample * rows * columns + place % rows * columns + place / rows];
    }
};

// Sizes of max-pooling over channels-last images.
struct PoolSizes {
    std::size_t kernel = 1;
    std::size_t channels = 1;
    std::size_t width = 1;
    std::size_t height = 1;
    bool relu = false;
    RINGSIDE_HOST_DEVICE std::size_t outWidth() const { return width / kernel; }
    RINGSIDE_HOST_DEVICE std::size_t outHeight() const { return height / kernel; }
    RINGSIDE_HOST_DEVICE std::size_t outCount() const { return outHeight() * outWidth() * channels; }
    RINGSIDE_HOST_DEVICE std::size_t inCount() const { return height * width * channels; }
};
inline constexpr std::uint8_t kNoWinner = 255;  // value of `winners` for a window whose values are all below 0, so that
                                                // the ReLU's 0 is the largest value

// Computes one value of max-pooling. The first of equal values wins, and NaN is larger than any number, as in PyTorch.
// i is an index into y.
struct PooledValue {
    const float* x;
    float* y;
    std::uint8_t* winners;
    PoolSizes sizes;
    RINGSIDE_HOST_DEVICE void operator()(std::size_t i) const {
        const std::size_t channel = i % sizes.channels;
        const std::size_t column = i / sizes.channels % sizes.outWidth();
        const std::size_t row = i / (sizes.channels * sizes.outWidth()) % sizes.outHeight();
        const float* image = x + i / sizes.outCount() * sizes.inCount();
        const float* corner =
            image + (row * sizes.kernel * sizes.width + column * sizes.kernel) * sizes.channels + channel;
        float best = sizes.relu ? 0.0F : -INFINITY;
        std::uint8_t winner = kNoWinner;
        for (std::size_t place = 0; place < sizes.kernel * sizes.kernel; ++place) {
            const float value = corner[(place / sizes.kernel * sizes.width + place % sizes.kernel) * sizes.channels];
            if (value <= best || best != best) continue;
            best = value;
            winner = static_cast<std::uint8_t>(place);
        }
        y[i] = best;
        winners[i] = winner;
    }
};

// Computes one value of max-pooling's gradient. i is an index into gradX: each thread checks whether the value of x at
// index i was the largest of its window, so that no two threads write to the same value.
struct PoolGradientValue {
    const float* gradY;
    const std::uint8_t* winners;
    float* gradX;
    PoolSizes sizes;
    RINGSIDE_HOST_DEVICE void operator()(std::size_t i) const {
        const std::size_t channel = i % sizes.channels;
        const std::size_t x = i / sizes.channels % sizes.width;
        const std::size_t y = i / (sizes.channels * sizes.width) % sizes.height;
        const std::size_t image = i / sizes.inCount();
        const std::size_t column = x / sizes.kernel;
        const std::size_t row = y / sizes.kernel;
        gradX[i] = 0;
        if (column >= sizes.outWidth() || row >= sizes.outHeight()) return;
        const std::size_t out = image * sizes.outCount() + (row * sizes.outWidth() + column) * sizes.channels + channel;
        const std::size_t place = y % sizes.kernel * sizes.kernel + x % sizes.kernel;
        if (winners[out] == place) gradX[i] = gradY[out];
    }
};

// Computes means over an image's pixels. i is an index into y(B,C).
struct AveragedValue {
    const float* x;
    float* y;
    std::size_t pixels;
    std::size_t channels;
    RINGSIDE_HOST_DEVICE void operator()(std::size_t i) const {
        const float* image = x + i / channels * pixels * channels + i % channels;
        double sum = 0;
        for (std::size_t pixel = 0; pixel < pixels; ++pixel) sum += static_cast<double>(image[pixel * channels]);
        y[i] = static_cast<float>(sum / static_cast<double>(pixels));
    }
};

// Computes one value of average pooling's gradient. i is an index into gradX(B,H,W,C).
struct AverageGradientValue {
    const float* gradY;
    float* gradX;
    std::size_t pixels;
    std::size_t channels;
    RINGSIDE_HOST_DEVICE void operator()(std::size_t i) const {
        gradX[i] = gradY[i / (pixels * channels) * channels + i % channels] / static_cast<float>(pixels);
    }
};

struct DroppedValue {
    const float* x;
    float* y;
    const std::int64_t* key;
    std::uint32_t threshold;
    float factor;  // factor of the values that are kept: 1 / (1 - probability)
    RINGSIDE_HOST_DEVICE void operator()(std::size_t i) const {
        const auto drawn = static_cast<std::uint64_t>(*key);
        y[i] = dropoutKeeps(drawn, static_cast<std::uint32_t>(i), threshold) ? x[i] * factor : 0;
    }
};

// Looks up one value of torch.nn.Embedding. i is an index into y(R,C).
struct EmbeddedValue {
    const float* tokens;
    const float* table;
    float* y;
    std::size_t columns;
    RINGSIDE_HOST_DEVICE void operator()(std::size_t i) const {
        y[i] = table[static_cast<std::size_t>(tokens[i / columns]) * columns + i % columns];
    }
};

// Adds the position embedding to one value. table contains one sequence, which has `perSequence` values.
struct PositionedValue {
    const float* x;
    const float* table;
    float* y;
    std::size_t perSequence;
    RINGSIDE_HOST_DEVICE void operator()(std::size_t i) const { y[i] = x[i] + table[i % perSequence]; }
};

// Computes one value of the position embedding's gradient. i is an index into gradTable.
struct PositionGradientValue {
    const float* gradY;
    float* gradTable;
    std::size_t perSequence;
    std::size_t sequences;
    RINGSIDE_HOST_DEVICE void operator()(std::size_t i) const {
        float sum = 0;
        for (std::size_t sequence = 0; sequence < sequences; ++sequence) sum += gradY[sequence * perSequence + i];
        gradTable[i] = sum;
    }
};

// Functions that convert values to 16-bit formats and back.
template <class Format>
struct NarrowValue {
    const float* from;
    std::uint16_t* to;
    RINGSIDE_HOST_DEVICE void operator()(std::size_t i) const { to[i] = Format::narrow(from[i]); }
};

template <class Format>
struct WidenValue {
    const std::uint16_t* from;
    float* to;
    RINGSIDE_HOST_DEVICE void operator()(std::size_t i) const { to[i] = Format::widen(from[i]); }
};

}  // namespace ringside::cuda
