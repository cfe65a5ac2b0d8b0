// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "telemetry/data/run_data.h"
#include "telemetry/steps/steps_verdict.h"

namespace ringside {

// Why the steps of a trace of this run take the time they take. Where the experiment itself delays the rank that is
// named, the advice says so.
StepsVerdict verdictOf(const RunData& run, const TraceData& trace);

}  // namespace ringside
