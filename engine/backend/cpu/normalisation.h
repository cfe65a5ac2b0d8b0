// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace ringside::cpu {

// GELU and layer norm, row after row. Pointers do not overlap.

void gelu(const float* x, float* y, std::size_t count);
void geluGradient(const float* x, const float* gradY, float* gradX, std::size_t count);

// moments: mean and 1 / sqrt(variance + 1e-5) of each row.
void layerNorm(const float* x, const float* weight, const float* bias, float* y, float* moments, std::size_t rows,
               std::size_t columns);
void layerNormParameterGradients(const float* x, const float* moments, const float* gradY, float* gradWeight,
                                 float* gradBias, std::size_t rows, std::size_t columns);
void layerNormInputGradient(const float* x, const float* moments, const float* weight, const float* gradY, float* gradX,
                            std::size_t rows, std::size_t columns);

}  // namespace ringside::cpu
