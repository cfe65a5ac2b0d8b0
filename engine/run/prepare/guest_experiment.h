// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "base/errors/result.h"
#include "config/run_config.h"
#include "launch/classroom/classroom_lines.h"

namespace ringside {

// Returns the reason why a guest of a classroom must not train an experiment that its host offers: a setting that holds
// a path (ConfigField::isPath) names neither an offered file nor a folder of offered files. Empty if the guest may
// train the experiment.
std::optional<Problem> guestProblem(const RunConfig& config, const std::set<std::string>& offered);
// Checks the experiment that a host offers, before any file of the offer is received.
std::optional<Problem> guestProblem(const ClassroomOffer& offer);

// Returns the names of all files below the folder of an offer, without the experiment. Returns a problem if the folder
// contains anything other than regular files and directories.
Result<std::set<std::string>> filesOfOffer(const std::filesystem::path& folder);

}  // namespace ringside
