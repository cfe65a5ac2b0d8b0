// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/run_config.h"
#include "whatif/step_replay.h"

namespace ringside {

// Returns the run's experiment with the change applied and shortened to a few seconds, or the reason why the change
// cannot be applied.
Result<RunConfig> checkExperiment(const RunConfig& run, const StepChange& change);

}  // namespace ringside
