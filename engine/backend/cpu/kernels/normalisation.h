// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace ringside::cpu {

// GELU and layer norm, row by row. Pointers must not overlap.

void gelu(const float* x, float* y, std::size_t count, int threads);
void geluGradient(const float* x, const float* gradY, float* gradX, std::size_t count, int threads);

// Rows that a layer norm normalises, with the layer's weight.
struct NormRows {
    const float* x;
    const float* weight;
    std::size_t rows, columns;
};
// Writes mean and 1 / sqrt(variance + 1e-5) of each row to moments.
void layerNorm(const NormRows& in, const float* bias, float* y, float* moments, int threads);
void layerNormParameterGradients(const NormRows& in, const float* moments, const float* gradY, float* gradWeight,
                                 float* gradBias, int threads);
void layerNormInputGradient(const NormRows& in, const float* moments, const float* gradY, float* gradX, int threads);

}  // namespace ringside::cpu
