// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "run/prepare/prepared_run.h"
#include "run/read/run_directory.h"
#include "telemetry/events/events.h"

namespace ringside {

// Returns the first event of a run's record. nowUs: time since the start of the run.
RunStarted runLine(const RunPaths& paths, const PreparedRun& run, std::int64_t nowUs);

}  // namespace ringside
