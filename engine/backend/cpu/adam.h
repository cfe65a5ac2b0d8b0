// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "backend/backend.h"

namespace ringside::cpu {

void adam(float* parameter, const float* gradient, float* firstMoment, float* secondMoment, std::size_t count,
          const AdamStep& step);

}  // namespace ringside::cpu
