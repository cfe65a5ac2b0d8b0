// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "backend/backend.h"

namespace ringside::cpu {

// Causal attention: torch.nn.functional.scaled_dot_product_attention(is_causal=True) and its gradient. Shapes as in
// Backend::attentionForward() and attentionBackward().
//
// Each head of each sequence is processed in blocks of 24 queries, so that only the scores of one block are stored, and
// no (positions, positions) matrix (as FlashAttention, Dao et al. 2022). The backward pass recomputes the shares
// (attention weights) from logSums(B, heads, T), the logarithm of each position's sum of exponentials, which the
// forward pass writes. The heads are distributed over `threads` threads; the results do not depend on their number. The
// caller owns all arrays. Each thread keeps its working memory for later calls.
void attention(const float* qkv, float* logSums, float* y, std::size_t sequences, const AttentionSpec& spec,
               int threads);
void attentionGradient(const float* qkv, const float* logSums, const float* gradY, float* gradQkv,
                       std::size_t sequences, const AttentionSpec& spec, int threads);

}  // namespace ringside::cpu
