// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ringside::cuda {

// Arithmetic in which matrix products and convolutions read their inputs. Sums, results and everything else stay
// float32. kTf32 rounds the inputs' mantissas to 10 bits; kBfloat16 and kFloat16 round the inputs to 16-bit numbers.
enum class Precision { kFloat32, kTf32, kBfloat16, kFloat16 };

constexpr bool isNarrow(Precision precision) {
    return precision == Precision::kBfloat16 || precision == Precision::kFloat16;
}

}  // namespace ringside::cuda
