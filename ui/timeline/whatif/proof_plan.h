// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/run_config.h"
#include "telemetry/data/step_replay.h"

namespace ringside {

// The run's experiment with the change made for real, short enough to be waited for; or why it cannot be made.
Result<RunConfig> provingExperiment(const RunConfig& run, const StepChange& change);

}  // namespace ringside
