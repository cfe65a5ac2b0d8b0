// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/backend.h"
#include "backend/cuda/kernels/device_math.h"

// Scalars of the update rules: computed in double, as Python does, and rounded to float32 where PyTorch combines a
// scalar with a float tensor.
namespace ringside::cuda {

inline SgdScalars scalarsOf(const SgdRule& rule) {
    SgdScalars scalars;
    scalars.momentum = static_cast<float>(rule.momentum);
    scalars.undamped = static_cast<float>(1 - rule.dampening);
    scalars.weightDecay = static_cast<float>(rule.weightDecay);
    scalars.nesterov = rule.nesterov;
    return scalars;
}

inline AdamScalars scalarsOf(const AdamRule& rule) {
    AdamScalars scalars;
    scalars.beta1 = static_cast<float>(rule.beta1);
    scalars.beta2 = static_cast<float>(rule.beta2);
    scalars.newFirst = static_cast<float>(1 - rule.beta1);
    scalars.newSecond = static_cast<float>(1 - rule.beta2);
    scalars.eps = static_cast<float>(rule.eps);
    if (!rule.decoupled) scalars.weightDecay = static_cast<float>(rule.weightDecay);
    return scalars;
}

}  // namespace ringside::cuda
