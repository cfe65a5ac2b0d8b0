// SPDX-License-Identifier: Apache-2.0
// Kernels in which the lanes of a warp process one row; in the CPU tests a group of threads acts as the warp. Each lane
// processes the values first(), first() + step(), ... of the row. sum() and largest() combine the lanes' values and
// return the same result to all lanes.
#pragma once

#include "backend/cuda/kernels/device_math.h"

// Disables nvcc's check that a function template can run on both host and device: the template argument `Lanes` decides
// where the function runs.
#ifdef __CUDACC__
#define RINGSIDE_FOR_LANES                                  \
    _Pragma("nv_exec_check_disable") template <class Lanes> \
    __host__ __device__
#else
#define RINGSIDE_FOR_LANES template <class Lanes>
#endif

namespace ringside::cuda {

// Returns the largest value of a row. A lane without a column starts with the row's first value, which does not change
// the result.
RINGSIDE_FOR_LANES Largest largestOfRow(const float* row, std::size_t columns, const Lanes& lanes) {
    Largest largest{row[0], 0};
    for (std::size_t c = lanes.first(); c < columns; c += lanes.step())
        largest = largerOf(largest, {row[c], static_cast<std::int64_t>(c)});
    return lanes.largest(largest);
}

// Computes a row's cross-entropy, whether its largest logit is the label's, and the gradient.
struct CrossEntropyRow {
    const float* logits;
    const std::int64_t* labels;
    std::size_t columns;
    float* loss;
    float* correct;
    float* gradient;  // output: gradient with respect to the logits; may be null
    float perRow;     // 1 / number of rows

    RINGSIDE_FOR_LANES void operator()(std::size_t r, const Lanes& lanes) const {
        const float* row = logits + r * columns;
        const auto label = static_cast<std::size_t>(labels[r]);
        const Largest largest = largestOfRow(row, columns, lanes);
        float sum = 0;
        for (std::size_t c = lanes.first(); c < columns; c += lanes.step()) sum += expf(row[c] - largest.value);
        sum = lanes.sum(sum);
        if (lanes.leads()) {
            loss[r] = crossEntropyOf(largest.value, row[label], sum);
            correct[r] = static_cast<std::size_t>(largest.index) == label ? 1.0F : 0.0F;
        }
        if (!gradient) return;
        for (std::size_t c = lanes.first(); c < columns; c += lanes.step())
            gradient[r * columns + c] = softmaxGradientOf(expf(row[c] - largest.value), sum, c == label, perRow);
    }
};

// Sums one row of partial sums. Row r contains the partial sums of squares of gradient number r.
struct NormRow {
    const double* parts;
    std::size_t columns;
    double* squares;

    RINGSIDE_FOR_LANES void operator()(std::size_t r, const Lanes& lanes) const {
        double sum = 0;
        for (std::size_t c = lanes.first(); c < columns; c += lanes.step()) sum += parts[r * columns + c];
        sum = lanes.sum(sum);
        if (lanes.leads()) squares[r] = squareOfNorm(sum);
    }
};

// Computes the sum of the values of a row.
struct RowSumRow {
    const double* values;
    std::size_t columns;
    double* sums;

    RINGSIDE_FOR_LANES void operator()(std::size_t r, const Lanes& lanes) const {
        double sum = 0;
        for (std::size_t c = lanes.first(); c < columns; c += lanes.step()) sum += values[r * columns + c];
        sum = lanes.sum(sum);
        if (lanes.leads()) sums[r] = sum;
    }
};

// Computes the squared norm of each tensor of a model from the sums of squares of the tensor's rows. Index r is the
// number of a tensor.
struct TensorNormRow {
    const double* rows;        // sums of squares of the rows of all tensors, one tensor after the other
    const std::int64_t* ends;  // for each tensor, the index in `rows` one past its last row
    double* squares;

    RINGSIDE_FOR_LANES void operator()(std::size_t r, const Lanes& lanes) const {
        const auto first = static_cast<std::size_t>(r == 0 ? 0 : ends[r - 1]);
        const auto end = static_cast<std::size_t>(ends[r]);
        double sum = 0;
        for (std::size_t row = first + lanes.first(); row < end; row += lanes.step()) sum += rows[row];
        sum = lanes.sum(sum);
        if (lanes.leads()) squares[r] = squareOfNorm(sum);
    }
};

// Computes a row's mean squared error and its gradient.
struct SquaredErrorRow {
    const float* prediction;
    const float* target;
    std::size_t columns;
    float* loss;
    float* gradient;  // output: gradient with respect to the predictions; may be null
    float perValue;   // 2 / number of values in the batch

    RINGSIDE_FOR_LANES void operator()(std::size_t r, const Lanes& lanes) const {
        double sum = 0;
        for (std::size_t i = r * columns + lanes.first(); i < (r + 1) * columns; i += lanes.step()) {
            sum += squaredDifferenceOf(prediction[i], target[i]);
            if (gradient) gradient[i] = meanSquaredGradientOf(prediction[i], target[i], perValue);
        }
        sum = lanes.sum(sum);
        if (lanes.leads()) loss[r] = static_cast<float>(sum / static_cast<double>(columns));
    }
};

struct ArgmaxRow {
    const float* values;
    std::size_t columns;
    std::int64_t* indices;

    RINGSIDE_FOR_LANES void operator()(std::size_t r, const Lanes& lanes) const {
        const Largest largest = largestOfRow(values + r * columns, columns, lanes);
        if (lanes.leads()) indices[r] = largest.index;
    }
};

// Normalises a row, as torch.nn.LayerNorm.
struct LayerNormRow {
    const float* x;
    const float* weight;
    const float* bias;
    float* y;
    float* moments;  // mean and 1 / sqrt(variance + eps) of each row
    std::size_t columns;

    RINGSIDE_FOR_LANES void operator()(std::size_t r, const Lanes& lanes) const {
        const float* row = x + r * columns;
        double sum = 0;
        for (std::size_t c = lanes.first(); c < columns; c += lanes.step()) sum += static_cast<double>(row[c]);
        const double mean = lanes.sum(sum) / static_cast<double>(columns);
        double squares = 0;
        for (std::size_t c = lanes.first(); c < columns; c += lanes.step()) {
            const double apart = static_cast<double>(row[c]) - mean;
            squares += apart * apart;
        }
        const double variance = lanes.sum(squares) / static_cast<double>(columns);
        const auto centre = static_cast<float>(mean);
        const auto scale = static_cast<float>(1 / sqrt(variance + kEpsilon));
        for (std::size_t c = lanes.first(); c < columns; c += lanes.step())
            y[r * columns + c] = (row[c] - centre) * scale * weight[c] + bias[c];
        if (!lanes.leads()) return;
        moments[2 * r] = centre;
        moments[2 * r + 1] = scale;
    }
};

// Computes scale * (g - mean(g) - n * mean(g * n)), where g = gradY * weight and n is the normalised row.
struct LayerNormGradientRow {
    const float* x;
    const float* moments;
    const float* weight;
    const float* gradY;
    float* gradX;
    std::size_t columns;

    RINGSIDE_FOR_LANES void operator()(std::size_t r, const Lanes& lanes) const {
        const float centre = moments[2 * r];
        const float scale = moments[2 * r + 1];
        double sum = 0;
        double along = 0;
        for (std::size_t c = lanes.first(); c < columns; c += lanes.step()) {
            const float g = gradY[r * columns + c] * weight[c];
            sum += static_cast<double>(g);
            along += static_cast<double>(g * (x[r * columns + c] - centre) * scale);
        }
        const auto mean = static_cast<float>(lanes.sum(sum) / static_cast<double>(columns));
        const auto slope = static_cast<float>(lanes.sum(along) / static_cast<double>(columns));
        for (std::size_t c = lanes.first(); c < columns; c += lanes.step()) {
            const float normalised = (x[r * columns + c] - centre) * scale;
            gradX[r * columns + c] = scale * (gradY[r * columns + c] * weight[c] - mean - normalised * slope);
        }
    }
};

// Computes the gradient of one token's row of the table: the sum of gradY over the rows with this token, in their
// order.
struct EmbeddingGradientRow {
    const float* tokens;
    const float* gradY;
    float* gradTable;
    std::size_t count;  // number of tokens
    std::size_t columns;

    RINGSIDE_FOR_LANES void operator()(std::size_t token, const Lanes& lanes) const {
        for (std::size_t c = lanes.first(); c < columns; c += lanes.step()) {
            float sum = 0;
            for (std::size_t r = 0; r < count; ++r)
                if (static_cast<std::size_t>(tokens[r]) == token) sum += gradY[r * columns + c];
            gradTable[token * columns + c] = sum;
        }
    }
};

}  // namespace ringside::cuda
