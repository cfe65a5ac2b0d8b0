// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "backend/backend.h"
#include "backend/update_state.h"

namespace ringside::cpu {

void adam(float* parameter, const float* gradient, float* firstMoment, float* secondMoment, std::size_t count,
          const AdamRule& rule, const UpdateState& state, int threads);

}  // namespace ringside::cpu
