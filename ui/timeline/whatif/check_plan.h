// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/run_config.h"
#include "whatif/step_replay.h"

namespace ringside {

// Returns the experiment `run` with the change that the what-if panel predicts, shortened to a few seconds of training.
// Returns a problem if Ringside cannot run an experiment with this change.
Result<RunConfig> checkExperiment(const RunConfig& run, const StepChange& change);

}  // namespace ringside
