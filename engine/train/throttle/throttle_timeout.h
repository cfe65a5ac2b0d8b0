// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nn/models/model.h"
#include "train/interfaces/trainer_dependencies.h"

namespace ringside {

// Throws TrainingError if, on the device that parallel.pace describes, a backward pass or an all-reduce takes longer
// than half of parallel.timeout_seconds: a rank that spends more than the timeout in one phase counts as hung.
// largestBatch: number of samples in the largest batch of a rank.
void checkThrottleTimeout(const TrainerDependencies& dependencies, const Model& model, std::int64_t largestBatch);

}  // namespace ringside
