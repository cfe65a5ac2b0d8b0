// SPDX-License-Identifier: Apache-2.0
// Sums over the rows of a matrix, column by column. A Term returns a row's contribution, a Finish stores the sum. For
// batch norm, the columns are the channels and the rows are all pixels of all images.
#pragma once

#include "backend/cuda/kernels/device_math.h"

namespace ringside::cuda {

// Term of a sum over a column: the value itself.
struct PlainTerm {
    const float* values;
    std::size_t columns;
    RINGSIDE_HOST_DEVICE double operator()(std::size_t r, std::size_t c) const {
        return static_cast<double>(values[r * columns + c]);
    }
};

// Term of the gradient with respect to layer norm's weight.
struct LayerNormWeightTerm {
    const float* x;
    const float* moments;  // mean and 1 / standard deviation of each row
    const float* gradY;
    std::size_t columns;
    RINGSIDE_HOST_DEVICE double operator()(std::size_t r, std::size_t c) const {
        const std::size_t i = r * columns + c;
        return static_cast<double>(gradY[i] * (x[i] - moments[2 * r]) * moments[2 * r + 1]);
    }
};

// Term of the variance: the squared distance from the column's mean.
struct SquaredDistanceTerm {
    const float* x;
    const float* means;
    std::size_t columns;
    RINGSIDE_HOST_DEVICE double operator()(std::size_t r, std::size_t c) const {
        const double apart = static_cast<double>(x[r * columns + c]) - static_cast<double>(means[c]);
        return apart * apart;
    }
};

// Term of the gradient with respect to batch norm's weight.
struct BatchNormWeightTerm {
    const float* x;
    const float* moments;  // mean of each column, followed by 1 / standard deviation of each column
    const float* gradY;
    std::size_t columns;
    RINGSIDE_HOST_DEVICE double operator()(std::size_t r, std::size_t c) const {
        const std::size_t i = r * columns + c;
        return static_cast<double>(gradY[i] * (x[i] - moments[c]) * moments[columns + c]);
    }
};

// Final operation of a sum over columns: stores the sum.
struct PlainSum {
    float* sums;
    RINGSIDE_HOST_DEVICE void operator()(std::size_t c, double sum) const { sums[c] = static_cast<float>(sum); }
};

// Final operation of a sum over columns: stores a batch's mean and updates the running mean. momentum: weight of the
// batch in the running mean.
struct BatchMean {
    float* means;
    float* running;
    double rows;
    float momentum;
    RINGSIDE_HOST_DEVICE void operator()(std::size_t c, double sum) const {
        means[c] = static_cast<float>(sum / rows);
        running[c] = (1 - momentum) * running[c] + momentum * means[c];
    }
};

// Final operation of a sum over columns: stores 1 / sqrt(variance + eps) in `scales`, and updates the running variance
// with the unbiased variance (the sum divided by rows - 1).
struct BatchVariance {
    float* scales;  // 1 / sqrt(variance + eps) of each column
    float* running;
    double rows;
    float momentum;
    RINGSIDE_HOST_DEVICE void operator()(std::size_t c, double sum) const {
        scales[c] = static_cast<float>(1 / sqrt(sum / rows + kEpsilon));
        const auto unbiased = static_cast<float>(sum / (rows > 1 ? rows - 1 : 1));
        running[c] = (1 - momentum) * running[c] + momentum * unbiased;
    }
};

// Each of the following three structures computes one value of batch norm or of its gradient. i is an index into the
// values of all images.
struct BatchNormValue {
    const float* x;
    const float* moments;
    const float* weight;
    const float* bias;
    float* y;
    std::size_t columns;
    RINGSIDE_HOST_DEVICE void operator()(std::size_t i) const {
        const std::size_t c = i % columns;
        y[i] = (x[i] - moments[c]) * moments[columns + c] * weight[c] + bias[c];
    }
};

struct BatchNormEvaluatedValue {
    const float* x;
    const float* weight;
    const float* bias;
    const float* mean;
    const float* variance;
    float* y;
    std::size_t columns;
    RINGSIDE_HOST_DEVICE void operator()(std::size_t i) const {
        const std::size_t c = i % columns;
        const auto scale = static_cast<float>(1 / sqrt(static_cast<double>(variance[c]) + kEpsilon));
        y[i] = (x[i] - mean[c]) * scale * weight[c] + bias[c];
    }
};

struct BatchNormGradientValue {
    const float* x;
    const float* moments;
    const float* weight;
    const float* gradWeight;
    const float* gradBias;
    const float* gradY;
    float* gradX;
    std::size_t columns;
    float perRow;  // 1 / number of rows
    RINGSIDE_HOST_DEVICE void operator()(std::size_t i) const {
        const std::size_t c = i % columns;
        const float scale = moments[columns + c];
        const float normalised = (x[i] - moments[c]) * scale;
        gradX[i] = scale * weight[c] * (gradY[i] - (gradBias[c] + normalised * gradWeight[c]) * perRow);
    }
};

}  // namespace ringside::cuda
