// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "config/run_config.h"
#include "sampling/plan/shard_numbers.h"

namespace ringside {

// Describes the shards: "ceil(1437 / 4) = 360 samples per rank; 3 are repeated so that all ranks get 360."
std::string shardSentence(const ShardSpec& spec);

// Describes the steps: "12 steps of 4 x 32 = 128; the last step has 8 per rank."
std::string stepSentence(const ShardSpec& spec);

// Describes the pitfalls: "A deliberate mistake: every rank shuffles with its own seed, ..." Empty if there are none.
std::string pitfallSentence(const ShardSpec& spec);

// Returns the reasons why a plan cannot be trained: an empty shard, a single batch that the loader drops, ranks with
// different numbers of samples, or a pitfall that PyTorch refuses. The field of each problem is the name of a setting
// of the configuration, such as loader.drop_last.
Problems planProblems(const ShardSpec& spec);

}  // namespace ringside
