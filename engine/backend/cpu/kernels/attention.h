// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "backend/backend.h"

namespace ringside::cpu {

// See Backend::attentionForward. Each head of each sequence is worked on in blocks of positions that stay in the
// nearest cache, so that no matrix of all positions by all positions is ever in memory; threads share the heads.
// logSums: the logarithm of each position's sum of exponentials (B, heads, T), from which the way back has its shares.
void attention(const float* qkv, float* logSums, float* y, std::size_t sequences, const AttentionSpec& spec,
               int threads);
void attentionGradient(const float* qkv, const float* logSums, const float* gradY, float* gradQkv,
                       std::size_t sequences, const AttentionSpec& spec, int threads);

}  // namespace ringside::cpu
