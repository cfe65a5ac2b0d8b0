// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace ringside::cpu {

// See Backend::softmaxCrossEntropy. scratch(rows * columns) receives the exponentials and may be gradient.
void softmaxCrossEntropy(const float* logits, const std::int64_t* labels, std::size_t rows, std::size_t columns,
                         float* rowLoss, float* rowCorrect, float* scratch, float* gradient);

// See Backend::meanSquaredError; gradient may be null.
void meanSquaredError(const float* prediction, const float* target, std::size_t rows, std::size_t columns,
                      float* rowLoss, float* gradient);

void argmax(const float* values, std::size_t rows, std::size_t columns, std::int64_t* indices);

}  // namespace ringside::cpu
