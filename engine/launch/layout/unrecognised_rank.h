// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "base/errors/result.h"
#include "launch/layout/launch_layout.h"

namespace ringside {

// Returns a problem if the environment describes this process as one of several processes of a launcher whose ranks
// Ringside cannot read: without the problem, each process would train alone, as rank 0 of 1. Recognises a few launchers
// by the names of their variables, and all others by the form of the names, such as FLUX_TASK_RANK beside
// FLUX_JOB_SIZE. Job arrays are not launchers, because their tasks are separate jobs.
std::optional<Problem> unrecognisedRank(const LaunchSources& sources);

}  // namespace ringside
