// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/kernels/elementwise.h"

#include <cmath>
#include <limits>

#include "backend/cpu/support/parts.h"

namespace ringside::cpu {

namespace {

RINGSIDE_VECTORISED void scalePart(float* values, std::size_t count, float factor) {
    for (std::size_t i = 0; i < count; ++i) values[i] *= factor;
}

RINGSIDE_VECTORISED void addPart(const float* __restrict from, float* __restrict to, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) to[i] += from[i];
}

RINGSIDE_VECTORISED void reluPart(const float* x, float* y, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) y[i] = x[i] < 0 ? 0 : x[i];
}

RINGSIDE_VECTORISED void reluGradientPart(const float* y, const float* gradY, float* gradX, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        const float gradient = gradY[i];
        gradX[i] = y[i] <= 0 ? 0 : gradient;
    }
}

constexpr std::size_t kStripe = 64;  // number of columns whose sums stay in registers

RINGSIDE_VECTORISED void stripeSums(const float* __restrict in, float* __restrict out, std::size_t rows,
                                    std::size_t stride, std::size_t width) {
    float sums[kStripe] = {};
    if (width == kStripe)
        for (std::size_t r = 0; r < rows; ++r, in += stride)
            for (std::size_t c = 0; c < kStripe; ++c) sums[c] += in[c];
    else
        for (std::size_t r = 0; r < rows; ++r, in += stride)
            for (std::size_t c = 0; c < width; ++c) sums[c] += in[c];
    for (std::size_t c = 0; c < width; ++c) out[c] = sums[c];
}

}  // namespace

void scale(float* values, std::size_t count, float factor, int threads) {
    forEachPart(threads, count, kValuesPerPart,
                [&](std::size_t i, std::size_t end) { scalePart(values + i, end - i, factor); });
}

void add(const float* from, float* to, std::size_t count, int threads) {
    forEachPart(threads, count, kValuesPerPart,
                [&](std::size_t i, std::size_t end) { addPart(from + i, to + i, end - i); });
}

// Returns the sum of squares. Adds into several partial sums in a fixed order, so that the loop vectorises and the
// result always has the same bits.
RINGSIDE_VECTORISED double squaredNorm(const float* values, std::size_t count) {
    constexpr std::size_t kLanes = 32;
    float partial[kLanes] = {};
    std::size_t i = 0;
    for (; i + kLanes <= count; i += kLanes)
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            partial[lane] = std::fma(values[i + lane], values[i + lane], partial[lane]);
    double sum = 0;
    for (float value : partial) sum += static_cast<double>(value);
    for (; i < count; ++i) sum += static_cast<double>(values[i]) * static_cast<double>(values[i]);
    return sum;
}

// Writes the sum of squares of each row. The partial sums of a row are added in pairs, in a fixed order, which is
// faster for short rows than adding one after the other.
RINGSIDE_VECTORISED void squaresOfRows(const float* values, std::size_t rows, std::size_t width, double* squares) {
    constexpr std::size_t kLanes = 32;
    const std::size_t vectorised = width / kLanes * kLanes;
    for (std::size_t row = 0; row < rows; ++row, values += width) {
        double sum = 0;
        if (vectorised > 0) {
            float partial[kLanes] = {};
            for (std::size_t i = 0; i < vectorised; i += kLanes)
                for (std::size_t lane = 0; lane < kLanes; ++lane)
                    partial[lane] = std::fma(values[i + lane], values[i + lane], partial[lane]);
            for (std::size_t lane = 0; lane < 16; ++lane) partial[lane] += partial[lane + 16];
            for (std::size_t lane = 0; lane < 8; ++lane) partial[lane] += partial[lane + 8];
            for (std::size_t lane = 0; lane < 4; ++lane) partial[lane] += partial[lane + 4];
            sum = static_cast<double>((partial[0] + partial[2]) + (partial[1] + partial[3]));
        }
        for (std::size_t i = vectorised; i < width; ++i)
            sum += static_cast<double>(values[i]) * static_cast<double>(values[i]);
        // Returns infinity for a sum above the range of float. Long rows give infinity in this case, because their
        // partial sums are floats; short rows, which are summed in double, must give the same result.
        squares[row] = sum > std::numeric_limits<float>::max() ? std::numeric_limits<double>::infinity() : sum;
    }
}

void columnSums(const float* in, float* out, std::size_t rows, std::size_t columns, int threads) {
    const int useful = rows * columns < kValuesPerPart ? 1 : threads;
    forEachPart(useful, columns, kStripe,
                [&](std::size_t c, std::size_t end) { stripeSums(in + c, out + c, rows, columns, end - c); });
}

void relu(const float* x, float* y, std::size_t count, int threads) {
    forEachPart(threads, count, kValuesPerPart,
                [&](std::size_t i, std::size_t end) { reluPart(x + i, y + i, end - i); });
}

void reluGradient(const float* y, const float* gradY, float* gradX, std::size_t count, int threads) {
    forEachPart(threads, count, kValuesPerPart,
                [&](std::size_t i, std::size_t end) { reluGradientPart(y + i, gradY + i, gradX + i, end - i); });
}

namespace {

// Scalars of one update, rounded to float32 once, as in PyTorch's kernels.
struct SgdScalars {
    SgdScalars(const SgdRule& rule, const UpdateState& state)
        : negativeLr(state.negativeStep),
          momentum(static_cast<float>(rule.momentum)),
          undamped(static_cast<float>(1 - rule.dampening)),
          weightDecay(static_cast<float>(rule.weightDecay)) {}
    float negativeLr;
    float momentum;
    float undamped;
    float weightDecay;
};

// Computes p -= lr * d. Without weight decay, d is the gradient itself; with weight decay, d = fma(param, wd, grad).
RINGSIDE_VECTORISED void plainSgd(float* __restrict p, const float* __restrict g, std::size_t n, SgdScalars s) {
    if (s.weightDecay == 0) {
        for (std::size_t i = 0; i < n; ++i) p[i] = std::fma(g[i], s.negativeLr, p[i]);
    } else {
        for (std::size_t i = 0; i < n; ++i) {
            const float d = std::fma(p[i], s.weightDecay, g[i]);
            p[i] = std::fma(d, s.negativeLr, p[i]);
        }
    }
}

RINGSIDE_VECTORISED void firstMomentum(const float* __restrict p, const float* __restrict g, float* __restrict m,
                                       std::size_t n, SgdScalars s) {
    if (s.weightDecay == 0) {
        for (std::size_t i = 0; i < n; ++i) m[i] = g[i];
    } else {
        for (std::size_t i = 0; i < n; ++i) m[i] = std::fma(p[i], s.weightDecay, g[i]);
    }
}

// Computes any step of SGD with momentum except the first one. Multiplying by 1 is exact, so that SGD without dampening
// needs no separate loop.
RINGSIDE_VECTORISED void laterMomentum(const float* __restrict p, const float* __restrict g, float* __restrict m,
                                       std::size_t n, SgdScalars s) {
    if (s.weightDecay == 0) {
        for (std::size_t i = 0; i < n; ++i) m[i] = std::fma(g[i], s.undamped, m[i] * s.momentum);
    } else {
        for (std::size_t i = 0; i < n; ++i) {
            const float d = std::fma(p[i], s.weightDecay, g[i]);
            m[i] = std::fma(d, s.undamped, m[i] * s.momentum);
        }
    }
}

RINGSIDE_VECTORISED void nesterovUpdate(float* __restrict p, const float* __restrict g, const float* __restrict m,
                                        std::size_t n, SgdScalars s) {
    if (s.weightDecay == 0) {
        for (std::size_t i = 0; i < n; ++i) p[i] = std::fma(std::fma(m[i], s.momentum, g[i]), s.negativeLr, p[i]);
    } else {
        for (std::size_t i = 0; i < n; ++i) {
            const float d = std::fma(p[i], s.weightDecay, g[i]);
            p[i] = std::fma(std::fma(m[i], s.momentum, d), s.negativeLr, p[i]);
        }
    }
}

// Computes a step of SGD in one pass over memory for the most common settings: with momentum, without weight decay and
// without nesterov. Not for the first step.
RINGSIDE_VECTORISED void fusedMomentumSgd(float* __restrict p, const float* __restrict g, float* __restrict m,
                                          std::size_t n, SgdScalars s) {
    for (std::size_t i = 0; i < n; ++i) {
        const float velocity = std::fma(g[i], s.undamped, m[i] * s.momentum);
        m[i] = velocity;
        p[i] = std::fma(velocity, s.negativeLr, p[i]);
    }
}

void sgdPart(float* parameter, const float* gradient, float* momentum, std::size_t count, const SgdRule& rule,
             bool first, const SgdScalars& scalars) {
    if (rule.momentum == 0) return plainSgd(parameter, gradient, count, scalars);
    if (!first && !rule.nesterov && rule.weightDecay == 0)
        return fusedMomentumSgd(parameter, gradient, momentum, count, scalars);
    (first ? firstMomentum : laterMomentum)(parameter, gradient, momentum, count, scalars);
    if (rule.nesterov) return nesterovUpdate(parameter, gradient, momentum, count, scalars);
    SgdScalars withoutDecay = scalars;
    withoutDecay.weightDecay = 0;
    plainSgd(parameter, momentum, count, withoutDecay);
}

}  // namespace

void sgd(float* parameter, const float* gradient, float* momentum, std::size_t count, const SgdRule& rule,
         const UpdateState& state, int threads) {
    const SgdScalars scalars(rule, state);
    forEachPart(threads, count, kValuesPerPart, [&](std::size_t i, std::size_t end) {
        sgdPart(parameter + i, gradient + i, momentum ? momentum + i : nullptr, end - i, rule, state.updates == 1,
                scalars);
    });
}

}  // namespace ringside::cpu
