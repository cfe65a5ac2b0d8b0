// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "telemetry/events/events.h"

namespace ringside {

// Adds `stepsBefore` to the step numbers of an event. A process that replaces a rank after a restart counts its steps
// from 1 again; in the record of the run, they follow the steps of the earlier processes. Numbers that the script
// itself has given, as in logged scalars, and the steps of one optimizer in the facts "tensors" stay as they are.
//
// Returns false if the event must not be recorded. This is the case for checksums from before the first step of the new
// process, because the record already contains checksums after the latest step of the earlier process.
bool renumberSteps(Event& event, std::int64_t stepsBefore);

}  // namespace ringside
