// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "telemetry/data/trace_data.h"

namespace ringside {

// The traced steps in the Trace Event Format, as chrome://tracing, Perfetto and others read it: a process a rank, with
// the training thread's phases, the collectives, and an arrow from the last to arrive to each rank that waited.
std::string chromeTrace(const TraceData& trace, const std::string& runName);

}  // namespace ringside
