// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/kernels/normalisation.h"

#include <cmath>
#include <numbers>

#include "backend/backend.h"
#include "backend/cpu/support/exponential.h"
#include "backend/cpu/support/parts.h"

namespace ringside::cpu {

namespace {

constexpr float kHalfRoot = std::numbers::sqrt2_v<float> / 2;
constexpr float kDensityScale = std::numbers::inv_sqrtpi_v<float> * kHalfRoot;

// Returns the cumulative distribution function of the standard normal distribution at x.
inline float distribution(float x) {
    return 0.5F * (1 + errorFunction(x * kHalfRoot));
}

inline float density(float x) {
    return kDensityScale * expOfNonPositive(-0.5F * x * x);
}

RINGSIDE_VECTORISED void geluPart(const float* __restrict x, float* __restrict y, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) y[i] = x[i] * distribution(x[i]);
}

RINGSIDE_VECTORISED void geluGradientPart(const float* __restrict x, const float* __restrict gradY,
                                          float* __restrict gradX, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) gradX[i] = gradY[i] * (distribution(x[i]) + x[i] * density(x[i]));
}

// Number of partial sums per row. Each has its own vector lane, and they are added in a fixed order.
constexpr std::size_t kLanes = 8;

template <class Term>
[[gnu::always_inline]] inline double sumOf(std::size_t count, const Term& term) {
    double lanes[kLanes] = {};
    std::size_t i = 0;
    for (; i + kLanes <= count; i += kLanes)
        for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += term(i + lane);
    for (; i < count; ++i) lanes[0] += term(i);
    double sum = 0;
    for (const double lane : lanes) sum += lane;
    return sum;
}

RINGSIDE_VECTORISED void normaliseRow(const float* __restrict x, const float* __restrict weight,
                                      const float* __restrict bias, float* __restrict y, float* __restrict moments,
                                      std::size_t columns) {
    const auto n = static_cast<double>(columns);
    const double mean = sumOf(columns, [x](std::size_t c) { return static_cast<double>(x[c]); }) / n;
    const double squares = sumOf(columns, [x, mean](std::size_t c) {
        const double apart = static_cast<double>(x[c]) - mean;
        return apart * apart;
    });
    const auto centre = static_cast<float>(mean);
    const auto scale = static_cast<float>(1 / std::sqrt(squares / n + kNormEpsilon));
    moments[0] = centre;
    moments[1] = scale;
    for (std::size_t c = 0; c < columns; ++c) y[c] = (x[c] - centre) * scale * weight[c] + bias[c];
}

constexpr std::size_t kColumns = 64;  // number of columns whose sums stay in registers

RINGSIDE_VECTORISED void parameterGradients(NormRows in, const float* __restrict moments, const float* __restrict gradY,
                                            float* __restrict gradWeight, float* __restrict gradBias,
                                            std::size_t width) {
    float weights[kColumns] = {};
    float biases[kColumns] = {};
    const float* __restrict x = in.x;
    for (std::size_t r = 0; r < in.rows; ++r, x += in.columns, gradY += in.columns)
        for (std::size_t c = 0; c < width; ++c) {
            weights[c] += gradY[c] * (x[c] - moments[2 * r]) * moments[2 * r + 1];
            biases[c] += gradY[c];
        }
    for (std::size_t c = 0; c < width; ++c) {
        gradWeight[c] = weights[c];
        gradBias[c] = biases[c];
    }
}

// Computes scale * (g - mean(g) - n * mean(g * n)), where g = gradY * weight and n is the normalised row.
RINGSIDE_VECTORISED void inputGradientOfRow(const float* __restrict x, const float* __restrict weight,
                                            const float* moments, const float* __restrict gradY,
                                            float* __restrict gradX, std::size_t columns) {
    const float centre = moments[0];
    const float scale = moments[1];
    const auto n = static_cast<double>(columns);
    const double sum = sumOf(columns, [=](std::size_t c) { return static_cast<double>(gradY[c] * weight[c]); });
    const double along = sumOf(
        columns, [=](std::size_t c) { return static_cast<double>(gradY[c] * weight[c] * (x[c] - centre) * scale); });
    const auto mean = static_cast<float>(sum / n);
    const auto slope = static_cast<float>(along / n);
    for (std::size_t c = 0; c < columns; ++c)
        gradX[c] = scale * (gradY[c] * weight[c] - mean - (x[c] - centre) * scale * slope);
}

template <class Visit>
void forEachRow(const NormRows& in, int threads, const Visit& visit) {
    forEachPart(threads, in.rows, rowsPerPart(in.columns), [&](std::size_t row, std::size_t end) {
        for (; row < end; ++row) visit(row, row * in.columns);
    });
}

}  // namespace

void gelu(const float* x, float* y, std::size_t count, int threads) {
    forEachPart(threads, count, kValuesPerPart,
                [&](std::size_t i, std::size_t end) { geluPart(x + i, y + i, end - i); });
}

void geluGradient(const float* x, const float* gradY, float* gradX, std::size_t count, int threads) {
    forEachPart(threads, count, kValuesPerPart,
                [&](std::size_t i, std::size_t end) { geluGradientPart(x + i, gradY + i, gradX + i, end - i); });
}

void layerNorm(const NormRows& in, const float* bias, float* y, float* moments, int threads) {
    forEachRow(in, threads, [&](std::size_t row, std::size_t at) {
        normaliseRow(in.x + at, in.weight, bias, y + at, moments + 2 * row, in.columns);
    });
}

void layerNormParameterGradients(const NormRows& in, const float* moments, const float* gradY, float* gradWeight,
                                 float* gradBias, int threads) {
    const int useful = in.rows * in.columns < kValuesPerPart ? 1 : threads;
    forEachPart(useful, in.columns, kColumns, [&](std::size_t c, std::size_t end) {
        parameterGradients({in.x + c, in.weight, in.rows, in.columns}, moments, gradY + c, gradWeight + c, gradBias + c,
                           end - c);
    });
}

void layerNormInputGradient(const NormRows& in, const float* moments, const float* gradY, float* gradX, int threads) {
    forEachRow(in, threads, [&](std::size_t row, std::size_t at) {
        inputGradientOfRow(in.x + at, in.weight, moments + 2 * row, gradY + at, gradX + at, in.columns);
    });
}

}  // namespace ringside::cpu
