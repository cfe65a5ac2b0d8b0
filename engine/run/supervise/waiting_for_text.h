// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "run/supervise/verdict.h"

namespace ringside {

// Returns a phrase for the rank that a stopping run waits for, which is the rank that is furthest behind: "rank 0,
// which saves (312.0 MiB written)", "rank 2 in backward at step 41 of epoch 3 for 12 s", "rank 1 to end".
std::string waitingForText(const std::vector<RankCondition>& conditions, const std::filesystem::path& runDirectory);

// Returns the total size of the files in the newest checkpoint directory, complete or not, in bytes; 0 if there is
// none.
std::uintmax_t bytesSaved(const std::filesystem::path& runDirectory);

}  // namespace ringside
