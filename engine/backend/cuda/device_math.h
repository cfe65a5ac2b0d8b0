// SPDX-License-Identifier: Apache-2.0
// The arithmetic of our kernels, one value or one row's end at a time, for host and device: the CPU tests run the very
// functions the GPU runs. Contraction into fused multiply-add is off on both sides; fusing is written out.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#ifdef __CUDACC__
#define RINGSIDE_HOST_DEVICE __host__ __device__ inline
#else
#define RINGSIDE_HOST_DEVICE inline
#endif

namespace ringside::cuda {

// NaN passes through.
RINGSIDE_HOST_DEVICE float reluOf(float x) {
    return x < 0 ? 0 : x;
}

RINGSIDE_HOST_DEVICE float reluGradientOf(float y, float gradY) {
    return y <= 0 ? 0 : gradY;
}

// torch.optim.SGD's scalars, rounded to float once.
struct SgdScalars {
    float negativeLr = 0;
    float momentum = 0;
    float undamped = 1;  // 1 - dampening
    float weightDecay = 0;
    bool nesterov = false;
    bool first = false;  // the momentum buffer starts as the gradient, undamped
};

// One value's update. momentum is not looked at when scalars.momentum is 0.
RINGSIDE_HOST_DEVICE float sgdDirection(float parameter, float gradient, float* momentum, const SgdScalars& scalars) {
    const float d = scalars.weightDecay == 0 ? gradient : fmaf(parameter, scalars.weightDecay, gradient);
    if (scalars.momentum == 0) return d;
    const float velocity = scalars.first ? d : fmaf(d, scalars.undamped, *momentum * scalars.momentum);
    *momentum = velocity;
    return scalars.nesterov ? fmaf(velocity, scalars.momentum, d) : velocity;
}

RINGSIDE_HOST_DEVICE float sgdOf(float parameter, float gradient, float* momentum, const SgdScalars& scalars) {
    return fmaf(sgdDirection(parameter, gradient, momentum, scalars), scalars.negativeLr, parameter);
}

// The largest value of a row and where; among equals the first.
struct Largest {
    float value = 0;
    std::int64_t index = 0;
};

RINGSIDE_HOST_DEVICE Largest largerOf(Largest a, Largest b) {
    const bool takeB = b.value > a.value || (b.value == a.value && b.index < a.index);
    return takeB ? b : a;
}

// Cross-entropy of a row from its largest logit, the label's logit and the sum of exp(logit - largest).
RINGSIDE_HOST_DEVICE float crossEntropyOf(float largest, float labelLogit, float sumOfExp) {
    return largest - labelLogit + logf(sumOfExp);
}

// Gradient of the mean over `rows` rows by one logit.
RINGSIDE_HOST_DEVICE float softmaxGradientOf(float exponential, float sumOfExp, bool isLabel, float perRow) {
    const float share = exponential * (perRow / sumOfExp);
    return isLabel ? share - perRow : share;
}

RINGSIDE_HOST_DEVICE double squaredDifferenceOf(float prediction, float target) {
    const float difference = prediction - target;
    return static_cast<double>(difference) * static_cast<double>(difference);
}

// perValue = 2 / number of values in the batch.
RINGSIDE_HOST_DEVICE float meanSquaredGradientOf(float prediction, float target, float perValue) {
    return (prediction - target) * perValue;
}

}  // namespace ringside::cuda
