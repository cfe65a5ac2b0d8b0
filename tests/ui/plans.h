// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/scene/shard_scene.h"

// Ten samples on four ranks, seed 0, epoch 0: torch.randperm(10) from a generator seeded with 0 is
// 4 1 7 5 3 9 0 8 6 2, so with padding the ranks get 4 3 6 | 1 9 2 | 7 0 4 | 5 8 1.
inline ringside::ShardSpec tenOnFour() {
    ringside::ShardSpec spec;
    spec.datasetSize = 10;
    spec.worldSize = 4;
    spec.batchSize = 2;
    return spec;
}

inline ringside::ShardPlan planOf(const ringside::ShardSpec& spec) {
    return ringside::ShardPlan::make(spec).value();
}

inline ringside::ShardScene sceneOf(const ringside::ShardSpec& spec) {
    return {planOf(spec), static_cast<int>(spec.epoch), true, nullptr, nullptr};
}
