// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "launch/place/rank_environment.h"
#include "train/parts/rank_hooks.h"

namespace ringside {

// What a worker program does to its rank beside training: nothing where it ships; tests link their own.
std::unique_ptr<RankHooks> makeRankHooks(const RankEnvironment& environment);

}  // namespace ringside
