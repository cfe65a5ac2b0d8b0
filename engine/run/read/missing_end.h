// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "run/read/run_directory.h"

namespace ringside {

// Returns the lines to append to a telemetry.jsonl without an end line after the run is over. With summary.json: a
// warning that lines are missing, and the outcome. Without: a failure, because the supervisor or the watcher was
// killed.
std::string missingEndLines(const RunPaths& paths);

// Returns an end line for a run of another user that has written nothing for some time and whose lock cannot be read.
// The line states that the run's state cannot be determined.
std::string unknownEndLine(const RunPaths& paths);

}  // namespace ringside
