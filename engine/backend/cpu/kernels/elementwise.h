// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/backend.h"
#include "backend/update_state.h"

namespace ringside::cpu {

// Vectorised loops of the CPU backend. Pointers must not overlap unless a comment permits it.

void scale(float* values, std::size_t count, float factor, int threads);
void add(const float* from, float* to, std::size_t count, int threads);  // to += from
double squaredNorm(const float* values, std::size_t count);
// Writes the sum of squares of each of `rows` rows of `width` values. The sums are bit-identical on all instruction
// sets.
void squaresOfRows(const float* values, std::size_t rows, std::size_t width, double* squares);

void columnSums(const float* in, float* out, std::size_t rows, std::size_t columns, int threads);

void relu(const float* x, float* y, std::size_t count, int threads);  // y may be the same array as x
void reluGradient(const float* y, const float* gradY, float* gradX, std::size_t count,
                  int threads);  // gradX may be the same array as gradY

void sgd(float* parameter, const float* gradient, float* momentum, std::size_t count, const SgdRule& rule,
         const UpdateState& state, int threads);

}  // namespace ringside::cpu
