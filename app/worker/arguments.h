// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/errors/result.h"
#include "launch/channels/rank_channels.h"
#include "launch/place/rank_environment.h"

namespace ringside {

// The worker's command line as launch/rank_environment.h describes it:
//   --rank R --world-size W --run-dir DIR --epoch-us N [--local-rank L] [--backend shm|gloo|nccl] [--device cpu|cuda]
//   [--hosts 0,0,1,1] [--address A] [--resume PATH]
Result<RankEnvironment> parseArguments(int argc, char** argv, const RankChannels& channels);

// A problem when the descriptors a supervisor hands over are missing: somebody started the worker by hand.
Problems checkChannels(const RankEnvironment& environment, const RankChannels& channels);

}  // namespace ringside
