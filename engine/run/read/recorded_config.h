// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/errors/result.h"
#include "base/json/json.h"
#include "config/run_config.h"
#include "run/read/run_directory.h"

namespace ringside {

// Returns the experiment of a run as JSON: config.json of its directory or, if this file cannot be read, the experiment
// in the first lines of telemetry.jsonl. Returns the problem of config.json if neither can be read.
Result<Json> readRecordedJson(const RunPaths& paths);
// Returns readRecordedJson() as a configuration; a problem if it is not a valid one.
Result<RunConfig> readRecordedConfig(const RunPaths& paths);

// True if the recorded experiment is that of a script that Ringside only watches.
bool isOfWatchedScript(const RunPaths& paths);

}  // namespace ringside
