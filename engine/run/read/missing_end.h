// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "run/read/run_directory.h"

namespace ringside {

// Returns the telemetry lines that complete a telemetry.jsonl without an end line, of a run that is over: the outcome
// in summary.json and a warning that lines are missing, or a failure because the supervisor was killed.
std::string missingEnd(const RunPaths& paths);

// Returns the end line shown for another user's run that is not known to be live and has written nothing for a time.
std::string unknownEnd(const RunPaths& paths);

}  // namespace ringside
