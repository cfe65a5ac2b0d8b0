// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "backend/backend.h"

namespace ringside::cpu {

// See Backend::attentionForward. Each head of each sequence is processed in blocks of positions that fit into the
// first-level cache, so that no (positions, positions) matrix is stored. The heads are distributed over the threads.
// logSums(B, heads, T): logarithm of each position's sum of exponentials, from which the backward pass recomputes the
// shares (attention weights).
void attention(const float* qkv, float* logSums, float* y, std::size_t sequences, const AttentionSpec& spec,
               int threads);
void attentionGradient(const float* qkv, const float* logSums, const float* gradY, float* gradQkv,
                       std::size_t sequences, const AttentionSpec& spec, int threads);

}  // namespace ringside::cpu
