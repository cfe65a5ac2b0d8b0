// SPDX-License-Identifier: Apache-2.0
// Arithmetic of the kernels for one value or the end of one row, for host and device: the CPU tests run the same
// functions as the GPU. Contraction into fused multiply-add is off on both sides; fused operations are written
// explicitly.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "backend/update_state.h"

namespace ringside::cuda {

inline constexpr double kEpsilon = 1e-5;  // default eps of torch.nn.LayerNorm and BatchNorm2d

// Returns the larger of x and 0. NaN stays NaN.
RINGSIDE_HOST_DEVICE float reluOf(float x) {
    return x < 0 ? 0 : x;
}

RINGSIDE_HOST_DEVICE float reluGradientOf(float y, float gradY) {
    return y <= 0 ? 0 : gradY;
}

// Settings of torch.optim.SGD, each rounded from double to float once.
struct SgdScalars {
    float momentum = 0;
    float undamped = 1;  // 1 - dampening
    float weightDecay = 0;
    bool nesterov = false;
};

// Returns the direction of one value's update, and updates its momentum. first: true in the first step, in which the
// momentum is set to the gradient without dampening. The momentum is not accessed if scalars.momentum is 0.
RINGSIDE_HOST_DEVICE float sgdDirection(float parameter, float gradient, float* momentum, const SgdScalars& scalars,
                                        bool first) {
    const float d = scalars.weightDecay == 0 ? gradient : fmaf(parameter, scalars.weightDecay, gradient);
    if (scalars.momentum == 0) return d;
    const float velocity = first ? d : fmaf(d, scalars.undamped, *momentum * scalars.momentum);
    *momentum = velocity;
    return scalars.nesterov ? fmaf(velocity, scalars.momentum, d) : velocity;
}

RINGSIDE_HOST_DEVICE float sgdOf(float parameter, float gradient, float* momentum, const SgdScalars& scalars,
                                 const UpdateState& state) {
    const float direction = sgdDirection(parameter, gradient * state.factor, momentum, scalars, state.updates == 1);
    return fmaf(direction, state.negativeStep, parameter);
}

// Settings of torch.optim.Adam and AdamW, rounded from double to float where PyTorch rounds them.
struct AdamScalars {
    float beta1 = 0;
    float beta2 = 0;
    float newFirst = 0;  // 1 - beta1
    float newSecond = 0;
    float eps = 0;
    float weightDecay = 0;  // Adam's weight decay, added to the gradient
};

// Returns the updated value of a parameter, and updates its moments `first` and `second`.
RINGSIDE_HOST_DEVICE float adamOf(float parameter, float gradient, float& first, float& second,
                                  const AdamScalars& scalars, const UpdateState& state) {
    const float kept = parameter * state.kept;
    const float g = gradient * state.factor;
    const float d = scalars.weightDecay == 0 ? g : fmaf(kept, scalars.weightDecay, g);
    first = fmaf(d, scalars.newFirst, first * scalars.beta1);
    second = fmaf(scalars.newSecond * d, d, second * scalars.beta2);
    return kept + state.negativeStep * first / (sqrtf(second) / state.rootCorrection + scalars.eps);
}

// Returns the cumulative distribution function of the standard normal distribution at x.
RINGSIDE_HOST_DEVICE float normalOf(float x) {
    constexpr float kRootOfHalf = 0.70710678118654752F;
    return 0.5F * (1 + erff(x * kRootOfHalf));
}

RINGSIDE_HOST_DEVICE float geluOf(float x) {
    return x * normalOf(x);
}

RINGSIDE_HOST_DEVICE float geluSlopeOf(float x) {
    constexpr float kDensityOfZero = 0.39894228040143268F;  // 1 / sqrt(2 pi)
    return normalOf(x) + x * kDensityOfZero * expf(-0.5F * x * x);
}

// Largest value of a row and its index; the first index if several are equal.
struct Largest {
    float value = 0;
    std::int64_t index = 0;
};

RINGSIDE_HOST_DEVICE Largest largerOf(Largest a, Largest b) {
    const bool takeB = b.value > a.value || (b.value == a.value && b.index < a.index);
    return takeB ? b : a;
}

// Returns the cross-entropy of a row from its largest logit, the label's logit and the sum of exp(logit - largest).
RINGSIDE_HOST_DEVICE float crossEntropyOf(float largest, float labelLogit, float sumOfExp) {
    return largest - labelLogit + logf(sumOfExp);
}

// Returns the gradient of the mean loss over all rows with respect to one logit. perRow: 1 / number of rows.
RINGSIDE_HOST_DEVICE float softmaxGradientOf(float exponential, float sumOfExp, bool isLabel, float perRow) {
    const float share = exponential * (perRow / sumOfExp);
    return isLabel ? share - perRow : share;
}

RINGSIDE_HOST_DEVICE double squaredDifferenceOf(float prediction, float target) {
    const float difference = prediction - target;
    return static_cast<double>(difference) * static_cast<double>(difference);
}

// Returns the gradient of the mean squared error with respect to one prediction. perValue: 2 / number of values in the
// batch.
RINGSIDE_HOST_DEVICE float meanSquaredGradientOf(float prediction, float target, float perValue) {
    return (prediction - target) * perValue;
}

}  // namespace ringside::cuda
