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

// Returns a problem if a guest of a classroom must not train the experiment that the host offers: each setting that
// holds a path (ConfigField::isPath) must name an offered file or a folder of offered files. Empty if the guest may
// train it.
std::optional<Problem> guestProblem(const RunConfig& config, const std::set<std::string>& offered);
// Returns a problem if a guest of a classroom must not train the experiment of `offer`. Called before any file of the
// offer is received.
std::optional<Problem> guestProblem(const ClassroomOffer& offer);

// Returns the names of all files below the folder of an offer, except the file with the experiment. Returns a problem
// if the folder contains anything other than regular files and directories.
Result<std::set<std::string>> filesOfOffer(const std::filesystem::path& folder);

}  // namespace ringside
