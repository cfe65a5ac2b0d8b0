// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/errors/result.h"
#include "launch/channels/rank_channels.h"
#include "launch/layout/rank_environment.h"

namespace ringside {

// Parses the command line with which a supervisor starts a worker (launch/layout/rank_environment.h):
//   --rank R --world-size W --run-dir DIR --epoch-us N [--local-rank L] [--backend shm|gloo|nccl] [--device cpu|cuda]
//   [--hosts 0,0,1,1] [--address A] [--resume PATH] [--timeout-factor F]
Result<RankEnvironment> parseArguments(int argc, char** argv, const RankChannels& channels);

// Returns a problem for each descriptor that a supervisor would have opened for the worker and that is not open. This
// happens if a user starts the worker by hand.
Problems checkChannels(const RankEnvironment& environment, const RankChannels& channels);

}  // namespace ringside
