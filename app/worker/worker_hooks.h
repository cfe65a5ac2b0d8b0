// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "launch/place/rank_environment.h"
#include "train/parts/rank_hooks.h"

namespace ringside {

// Creates the hooks of this worker program into training. Null in released programs; tests link their own definition.
std::unique_ptr<RankHooks> makeRankHooks(const RankEnvironment& environment);

}  // namespace ringside
