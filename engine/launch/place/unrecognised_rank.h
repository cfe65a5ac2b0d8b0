// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "base/errors/result.h"
#include "launch/place/launch_place.h"

namespace ringside {

// Returns a problem if the environment describes this process as one of several of a launcher that Ringside cannot
// read: each of them would train alone, as rank 0 of 1. Launchers are recognised by the form of their variables, such
// as FLUX_TASK_RANK beside FLUX_JOB_SIZE, and not by name. Job arrays are not launchers: their tasks are separate jobs.
std::optional<Problem> unrecognisedRank(const LaunchSources& sources);

}  // namespace ringside
