// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/errors/result.h"
#include "plan/strategy_plan.h"

namespace ringside {

// True if a predicted memory use exceeds parallel.memory_limit_mb by more than 2 %, the uncertainty of predictions.
// Within 2 % a run may start; the engine then enforces the limit by the memory that it counts itself.
bool isClearlyOverMemoryLimit(std::int64_t bytes, const RunConfig& config);

// Returns a size in MiB as text, rounded up: "7.4"; with three decimals below 1 MiB.
std::string mebibytesText(std::int64_t bytes);

// Returns a problem if a CPU rank needs more than parallel.memory_limit_mb. The problem names the rank, the memory that
// it needs and a setting that would fit. `subject` contains the configuration as requested, before the ranks of
// data_parallel become devices of one process.
Problems checkMemoryLimit(const PlanSubject& subject, const StrategyPlan& plan);

}  // namespace ringside
