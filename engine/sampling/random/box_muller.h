// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace ringside {

// Uniforms in [0, 1) become normals in place, in blocks of this many values: Box-Muller on (x[j], x[j + 8]), as
// PyTorch's normal_() does with AVX2 (ATen/native/cpu/DistributionTemplates.h, normal_fill_16). Bits matter: see the
// tests.
constexpr std::size_t kBoxMullerBlock = 16;
void boxMuller(std::span<float> blocks);  // a multiple of kBoxMullerBlock

}  // namespace ringside
