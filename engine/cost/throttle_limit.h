// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/errors/result.h"
#include "plan/strategy_plan.h"

namespace ringside {

// Returns a problem if parallel.pace would keep a rank in one pass, or in the gradients' all-reduce, for longer than
// half of parallel.timeout_seconds: the other ranks would report it as hung. Can be called before any process starts.
Problems checkThrottleLimit(const PlanSubject& subject);

}  // namespace ringside
