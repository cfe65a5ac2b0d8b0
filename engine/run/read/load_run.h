// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "run/read/run_directory.h"
#include "telemetry/data/run_data.h"

namespace ringside {

// Reads telemetry.jsonl of a run directory to its current end, in bounded memory. Returns null if the file cannot be
// read or lacks the line that describes the run. stopped() is called before each piece of 256 KiB; if it returns true,
// reading ends early. Blocks while it reads from the disk; callable from any thread.
std::shared_ptr<const RunData> loadRun(const RunPaths& paths, Curves curves, const std::function<bool()>& stopped);

}  // namespace ringside
