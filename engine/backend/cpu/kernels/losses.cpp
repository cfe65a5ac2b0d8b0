// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/kernels/losses.h"

#include <cmath>

#include "backend/cpu/support/exponential.h"

namespace ringside::cpu {

namespace {

RINGSIDE_VECTORISED void exponentials(float* values, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) values[i] = expOfNonPositive(values[i]);
}

std::size_t largestIndex(const float* row, std::size_t columns) {
    std::size_t best = 0;
    for (std::size_t c = 1; c < columns; ++c)
        if (row[c] > row[best]) best = c;
    return best;
}

// Computes shifted = logits - largest, so that every exponential is at most 1.
void shiftRow(const float* row, float largest, float* shifted, std::size_t columns) {
    for (std::size_t c = 0; c < columns; ++c) shifted[c] = row[c] - largest;
}

float sumOf(const float* row, std::size_t columns) {
    float sum = 0;
    for (std::size_t c = 0; c < columns; ++c) sum += row[c];
    return sum;
}

RINGSIDE_VECTORISED void scaleRow(float* row, float factor, std::size_t columns) {
    for (std::size_t c = 0; c < columns; ++c) row[c] *= factor;
}

}  // namespace

void softmaxCrossEntropy(const float* logits, const std::int64_t* labels, std::size_t rows, std::size_t columns,
                         float* rowLoss, float* rowCorrect, float* scratch, float* gradient) {
    for (std::size_t r = 0; r < rows; ++r) {
        const float* row = logits + r * columns;
        const auto label = static_cast<std::size_t>(labels[r]);
        const std::size_t best = largestIndex(row, columns);
        rowCorrect[r] = best == label ? 1.0F : 0.0F;
        rowLoss[r] = row[best] - row[label];  // loss without the logarithm of the sum of exponentials, which is added
                                              // below
        shiftRow(row, row[best], scratch + r * columns, columns);
    }
    exponentials(scratch, rows * columns);
    const float perRow = 1.0F / static_cast<float>(rows);
    for (std::size_t r = 0; r < rows; ++r) {
        float* row = scratch + r * columns;
        const float sum = sumOf(row, columns);
        rowLoss[r] += std::log(sum);
        if (!gradient) continue;
        scaleRow(row, perRow / sum, columns);
        row[labels[r]] -= perRow;
    }
}

RINGSIDE_VECTORISED void meanSquaredError(const float* prediction, const float* target, std::size_t rows,
                                          std::size_t columns, float* rowLoss, float* gradient) {
    const float perValue = 2.0F / static_cast<float>(rows * columns);
    for (std::size_t r = 0; r < rows; ++r) {
        double sum = 0;
        for (std::size_t i = r * columns; i < (r + 1) * columns; ++i) {
            const float difference = prediction[i] - target[i];
            sum += static_cast<double>(difference) * static_cast<double>(difference);
            if (gradient) gradient[i] = difference * perValue;
        }
        rowLoss[r] = static_cast<float>(sum / static_cast<double>(columns));
    }
}

void argmax(const float* values, std::size_t rows, std::size_t columns, std::int64_t* indices) {
    for (std::size_t r = 0; r < rows; ++r)
        indices[r] = static_cast<std::int64_t>(largestIndex(values + r * columns, columns));
}

}  // namespace ringside::cpu
