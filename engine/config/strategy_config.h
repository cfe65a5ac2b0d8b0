// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/choices.h"
namespace ringside {

// Number of ranks in each dimension of the mesh. 0: derived from parallel.strategy (see mesh.h).
struct MeshConfig {
    std::int64_t replicate = 0;
    std::int64_t shard = 0;
    std::int64_t pipeline = 0;
    bool operator==(const MeshConfig&) const = default;
};

struct PipelineConfig {
    PipelineScheduleKind schedule = PipelineScheduleKind::k1F1B;  // schedule of the micro-batches: gpipe | 1f1b |
                                                                  // interleaved | zero_bubble
    std::int64_t microBatches = 4;                                // number of micro-batches into which a rank's batch
                                                                  // is divided
    std::int64_t stagesPerRank = 1;
    // number of layers of each stage; empty: stages with about equal numbers of arithmetic operations
    std::vector<std::int64_t> split = {};
    std::string scheduleFile = {};  // CSV file of actions by rank in PyTorch's notation, instead of `schedule`
    bool operator==(const PipelineConfig&) const = default;
};

struct FsdpConfig {
    ShardedState shard =
        ShardedState::kParameters;        // state that is sharded over the ranks: optimizer | gradients | parameters
    ShardUnit unit = ShardUnit::kBlock;   // set of parameters that is gathered at a time: layer | block | whole
    Prefetch prefetch = Prefetch::kNext;  // unit that is gathered ahead of its use: none | next
    bool cpuOffload = false;              // true: shards, their gradients and the optimizer state stay in host memory
    bool operator==(const FsdpConfig&) const = default;
};

}  // namespace ringside
