// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "config/run_config.h"
#include "sampling/plan/shard_numbers.h"

namespace ringside {

// "ceil(1437 / 4) = 360 samples per rank; 3 are repeated so that all ranks get 360."
std::string shardSentence(const ShardSpec& spec);

// "12 steps of 4 x 32 = 128; the last step has 8 per rank."
std::string stepSentence(const ShardSpec& spec);

// "A deliberate mistake: every rank shuffles with its own seed, ..."; empty without one.
std::string pitfallSentence(const ShardSpec& spec);

// shardSentence and stepSentence, one after the other.
std::string planSentence(const ShardSpec& spec);

// Returns why this cannot be trained: an empty shard, an only batch that the loader drops, ranks of unequal length, a
// mistake PyTorch refuses. Fields are those of the configuration.
Problems planProblems(const ShardSpec& spec);

}  // namespace ringside
