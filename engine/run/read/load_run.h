// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "run/read/run_directory.h"
#include "telemetry/data/run_data.h"

namespace ringside {

// What a run directory's telemetry.jsonl says, read to its present end in bounded memory; null without a run line.
// stopped() is asked now and then and ends the reading.
std::shared_ptr<const RunData> loadRun(const RunPaths& paths, Curves curves, const std::function<bool()>& stopped);

}  // namespace ringside
