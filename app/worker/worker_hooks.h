// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "launch/layout/rank_environment.h"
#include "train/interfaces/rank_hooks.h"

namespace ringside {

// Creates the hooks that this worker program inserts into training. Null in released programs; test programs link
// another definition.
std::unique_ptr<RankHooks> makeRankHooks(const RankEnvironment& environment);

}  // namespace ringside
