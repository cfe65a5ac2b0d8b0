// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/normalisation.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "backend/backend.h"
#include "backend/cpu/exponential.h"

namespace ringside::cpu {

namespace {

constexpr float kHalfRoot = std::numbers::sqrt2_v<float> / 2;
constexpr float kDensityScale = std::numbers::inv_sqrtpi_v<float> * kHalfRoot;

// Of the normal distribution.
inline float distribution(float x) {
    return 0.5F * (1 + errorFunction(x * kHalfRoot));
}

inline float density(float x) {
    return kDensityScale * expOfNonPositive(-0.5F * x * x);
}

}  // namespace

RINGSIDE_VECTORISED void gelu(const float* __restrict x, float* __restrict y, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) y[i] = x[i] * distribution(x[i]);
}

RINGSIDE_VECTORISED void geluGradient(const float* __restrict x, const float* __restrict gradY, float* __restrict gradX,
                                      std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) gradX[i] = gradY[i] * (distribution(x[i]) + x[i] * density(x[i]));
}

RINGSIDE_VECTORISED void layerNorm(const float* x, const float* weight, const float* bias, float* y, float* moments,
                                   std::size_t rows, std::size_t columns) {
    for (std::size_t r = 0; r < rows; ++r, x += columns, y += columns) {
        double sum = 0;
        for (std::size_t c = 0; c < columns; ++c) sum += static_cast<double>(x[c]);
        const double mean = sum / static_cast<double>(columns);
        double squares = 0;
        for (std::size_t c = 0; c < columns; ++c) {
            const double apart = static_cast<double>(x[c]) - mean;
            squares += apart * apart;
        }
        const auto centre = moments[2 * r] = static_cast<float>(mean);
        const auto scale = moments[2 * r + 1] =
            static_cast<float>(1 / std::sqrt(squares / static_cast<double>(columns) + kNormEpsilon));
        for (std::size_t c = 0; c < columns; ++c) y[c] = (x[c] - centre) * scale * weight[c] + bias[c];
    }
}

RINGSIDE_VECTORISED void layerNormParameterGradients(const float* x, const float* moments, const float* gradY,
                                                     float* __restrict gradWeight, float* __restrict gradBias,
                                                     std::size_t rows, std::size_t columns) {
    std::fill_n(gradWeight, columns, 0.0F);
    std::fill_n(gradBias, columns, 0.0F);
    for (std::size_t r = 0; r < rows; ++r, x += columns, gradY += columns)
        for (std::size_t c = 0; c < columns; ++c) {
            gradWeight[c] += gradY[c] * (x[c] - moments[2 * r]) * moments[2 * r + 1];
            gradBias[c] += gradY[c];
        }
}

// With g = gradY * weight and n the normalised row: scale * (g - mean(g) - n * mean(g * n)).
RINGSIDE_VECTORISED void layerNormInputGradient(const float* x, const float* moments, const float* weight,
                                                const float* gradY, float* gradX, std::size_t rows,
                                                std::size_t columns) {
    for (std::size_t r = 0; r < rows; ++r, x += columns, gradY += columns, gradX += columns) {
        const float centre = moments[2 * r];
        const float scale = moments[2 * r + 1];
        double sum = 0;
        double along = 0;
        for (std::size_t c = 0; c < columns; ++c) {
            const float g = gradY[c] * weight[c];
            sum += static_cast<double>(g);
            along += static_cast<double>(g * (x[c] - centre) * scale);
        }
        const auto mean = static_cast<float>(sum / static_cast<double>(columns));
        const auto slope = static_cast<float>(along / static_cast<double>(columns));
        for (std::size_t c = 0; c < columns; ++c)
            gradX[c] = scale * (gradY[c] * weight[c] - mean - (x[c] - centre) * scale * slope);
    }
}

}  // namespace ringside::cpu
