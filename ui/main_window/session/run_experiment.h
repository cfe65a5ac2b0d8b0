// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "config/run_config.h"
#include "run/read/run_directory.h"
#include "telemetry/events/events.h"

namespace ringside {

// Returns the experiment of a run as the user configured it, with "auto" where the run chose. Empty if it cannot be
// read.
std::optional<RunConfig> experimentOf(const RunStarted& run);

// True if the experiments `form` and `run` are equal, apart from the name, the choice of devices and transport, and the
// run that is continued.
bool isSameExperiment(const RunConfig& run, const RunConfig& form);

// True if the form's experiment is that of the run in this directory, so that opening the run changes nothing in it.
bool holdsExperiment(const RunPaths& paths, const RunConfig& form);

}  // namespace ringside
