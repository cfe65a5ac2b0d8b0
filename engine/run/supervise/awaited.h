// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "run/supervise/verdict.h"

namespace ringside {

// What a run that is to stop still waits for: "rank 0, which saves (312 MB written)", "rank 2, in backward at step 41
// of epoch 3 for 12 s", "rank 1 to end".
std::string awaitedText(const std::vector<RankFate>& fates, const std::filesystem::path& runDirectory);

// What the newest checkpoint under way holds so far.
std::uintmax_t bytesSaved(const std::filesystem::path& runDirectory);

}  // namespace ringside
