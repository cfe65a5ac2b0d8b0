// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/backend.h"
#include "backend/cuda/device_math.h"

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

}  // namespace ringside::cuda
