// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "telemetry/data/run_data.h"
#include "telemetry/steps/steps_verdict.h"

namespace ringside {

// Explains which cause determines the duration of the traced steps. If the late rank is the one that pitfalls.slow_rank
// delays, the advice names this setting.
StepsVerdict verdictOf(const RunData& run, const TraceData& trace);

}  // namespace ringside
