// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/errors/result.h"
#include "cost/cost_subject.h"

namespace ringside {

// Whether a rank that is to take so many bytes is certain to take more than parallel.memory_limit_mb. Predictions may
// be 2 % off: within that a run may start, and the engine's own count decides.
bool isCertainlyOver(std::int64_t bytes, const RunConfig& config);

// "7.4" MiB, rounded up; three decimals below 1.
std::string mebibytesText(std::int64_t bytes);

// A problem where a rank on the CPU is to take more than parallel.memory_limit_mb: which, how much, and what would fit.
// The configuration as it was asked for, before data_parallel's ranks become devices of one process.
Problems checkMemoryLimit(const CostSubject& subject, const StrategyPlan& plan);

}  // namespace ringside
