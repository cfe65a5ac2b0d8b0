// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ringside::cuda {

// In which arithmetic matrix products and convolutions take their inputs. Sums, results and everything else stay
// float32; kTf32 rounds the inputs' mantissas to 10 bits, the last two round the inputs to 16-bit numbers.
enum class Precision { kFloat32, kTf32, kBfloat16, kFloat16 };

constexpr bool isNarrow(Precision precision) {
    return precision == Precision::kBfloat16 || precision == Precision::kFloat16;
}

}  // namespace ringside::cuda
