// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "run/read/run_directory.h"

namespace ringside {

// Returns the lines to append to the telemetry of a run that is over and whose telemetry.jsonl has no end line: the
// outcome in summary.json and a warning that lines are missing, or a failure because the supervisor was killed.
std::string missingEnd(const RunPaths& paths);

// Returns the end line to show for a run of another user if it is not known whether the run is live and it has written
// nothing for some time.
std::string unknownEnd(const RunPaths& paths);

}  // namespace ringside
