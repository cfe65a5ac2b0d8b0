// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "backend/backend.h"
#include "backend/cuda/device_math.h"

// Python's doubles, rounded to float32 where they meet a float tensor.
namespace ringside::cuda {

inline SgdScalars scalarsOf(const SgdStep& step) {
    SgdScalars scalars;
    scalars.negativeLr = static_cast<float>(-step.lr);
    scalars.momentum = static_cast<float>(step.momentum);
    scalars.undamped = static_cast<float>(1 - step.dampening);
    scalars.weightDecay = static_cast<float>(step.weightDecay);
    scalars.nesterov = step.nesterov;
    scalars.first = step.first;
    return scalars;
}

inline AdamScalars scalarsOf(const AdamStep& step) {
    const auto number = static_cast<double>(step.number);
    AdamScalars scalars;
    scalars.beta1 = static_cast<float>(step.beta1);
    scalars.beta2 = static_cast<float>(step.beta2);
    scalars.newFirst = static_cast<float>(1 - step.beta1);
    scalars.newSecond = static_cast<float>(1 - step.beta2);
    scalars.eps = static_cast<float>(step.eps);
    if (step.decoupled) scalars.kept = static_cast<float>(1 - step.lr * step.weightDecay);
    if (!step.decoupled) scalars.weightDecay = static_cast<float>(step.weightDecay);
    scalars.negativeStep = static_cast<float>(-(step.lr / (1 - std::pow(step.beta1, number))));
    scalars.rootCorrection = static_cast<float>(std::sqrt(1 - std::pow(step.beta2, number)));
    return scalars;
}

}  // namespace ringside::cuda
