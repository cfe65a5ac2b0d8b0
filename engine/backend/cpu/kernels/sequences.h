// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/backend.h"

namespace ringside::cpu {

// These functions implement the operations of the same names in Backend.

void dropout(const float* x, float* y, std::size_t count, std::uint64_t key, double probability,
             int threads);  // y may be the same array as x

void embedding(const float* tokens, std::size_t rows, const float* table, std::size_t words, std::size_t width,
               float* y);
void embeddingGradient(const float* tokens, std::size_t rows, const float* gradY, float* gradTable, std::size_t words,
                       std::size_t width, int threads);
// Adds row(count) to each of `rows` rows; y may be x.
void addRow(const float* x, const float* row, float* y, std::size_t rows, std::size_t count, int threads);

}  // namespace ringside::cpu
