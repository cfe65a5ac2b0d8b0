// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "config/run_config.h"
#include "run/read/run_directory.h"
#include "telemetry/events/events.h"

namespace ringside {

// Returns the experiment of a run as the user configured it: with the device and backend that the user requested (for
// example "auto") instead of those that the run chose. Empty if the recorded configuration cannot be read.
std::optional<RunConfig> experimentOf(const RunStarted& run);

// True if the experiments `form` and `run` are equal. Ignores their names, devices and backends, and the checkpoint
// from which they resume.
bool isSameExperiment(const RunConfig& run, const RunConfig& form);

// True if the run in this directory has the same experiment as `form`. Opening such a run does not change the form.
bool holdsExperiment(const RunPaths& paths, const RunConfig& form);

}  // namespace ringside
