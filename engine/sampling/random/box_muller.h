// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace ringside {

// Box-Muller transform as in PyTorch's normal_() with AVX2 (ATen/native/cpu/DistributionTemplates.h, normal_fill_16).
// Replaces uniform values in [0, 1) by normal ones in place. In each block of kBoxMullerBlock values, x[j] and x[j + 8]
// form a pair. The results are bit-identical to PyTorch's.
constexpr std::size_t kBoxMullerBlock = 16;
void boxMuller(std::span<float> blocks);  // fills `blocks` with normal numbers; its size is a multiple of
                                          // kBoxMullerBlock

}  // namespace ringside
