// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nn/models/model.h"
#include "train/parts/trainer_dependencies.h"

namespace ringside {

// Throws TrainingError if the configured pace makes a backward pass or an all-reduce longer than half the timeout. A
// rank that exceeds the timeout within one phase is treated as hung. `largestBatch` is the largest batch of a rank.
void checkThrottleTimeout(const TrainerDependencies& dependencies, const Model& model, std::int64_t largestBatch);

}  // namespace ringside
