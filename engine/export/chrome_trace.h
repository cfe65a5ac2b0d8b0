// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "telemetry/traces/trace_data.h"

namespace ringside {

// Returns the traced steps in the Trace Event Format, which chrome://tracing and Perfetto read. Each rank is a process
// with two threads: the phases of its training thread and its collectives. Arrows lead from the rank that arrived last
// in a collective to each rank that waited for it.
std::string chromeTrace(const TraceData& trace, const std::string& runName);

}  // namespace ringside
