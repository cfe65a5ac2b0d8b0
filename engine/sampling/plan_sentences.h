// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "config/run_config.h"
#include "sampling/shard_plan.h"

namespace ringside {

// What an experiment deals in one epoch; without set_epoch every epoch is epoch 0.
ShardSpec epochSpec(const RunConfig& config, std::int64_t datasetSize, std::int64_t epoch);

// The counts of a plan, without dealing a sample: cheap enough for every keystroke. The spec's sizes are in range.
struct ShardNumbers {
    std::int64_t samplesPerRank = 0;
    std::int64_t totalSize = 0;
    std::int64_t padding = 0;
    std::int64_t droppedBySampler = 0;
    std::int64_t stepsPerEpoch = 0;
    std::int64_t lastBatchSize = 0;    // per rank; 0 when there is no step
    std::int64_t droppedByLoader = 0;  // per rank
};
ShardNumbers shardNumbers(const ShardSpec& spec);

// "ceil(1437 / 4) = 360 samples per rank; 3 are repeated so that all ranks get 360."
std::string shardSentence(const ShardSpec& spec);

// "12 steps of 4 x 32 = 128; the last step has 8 per rank."
std::string stepSentence(const ShardSpec& spec);

// Both, one after the other.
std::string planSentence(const ShardSpec& spec);

// Why this cannot be trained: an empty shard, no full batch. Fields are those of the configuration.
Problems planProblems(const ShardSpec& spec);

// What can be trained, but is hardly meant: a batch larger than the shard.
Problems planNotes(const ShardSpec& spec);

}  // namespace ringside
