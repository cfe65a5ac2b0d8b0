// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/errors/result.h"
#include "config/run_config.h"
#include "sampling/plan/shard_plan.h"
#include "watch/audit/recorded_facts.h"

namespace ringside {

// Plan that assigns samples to the ranks of a watched script, found from the settings of its training loader and
// sampler.
struct SeenPlan {
    SamplerConfig sampler;
    LoaderConfig loader;
    std::int64_t datasetSize = 0;
    std::int64_t ranks = 1;

    bool operator==(const SeenPlan&) const = default;
    // Returns the parameters of the plan in one epoch, counted from 0.
    ShardSpec specAt(std::int64_t epoch) const;
};

// Returns the plan that the facts of all ranks determine: DistributedSampler of PyTorch (also as Lightning uses it),
// SequentialSampler, and the shards of Accelerate over a SequentialSampler or a SeedableRandomSampler. Returns a
// problem if no plan can be determined: for example, the order of a RandomSampler depends on the state of a generator
// that no fact describes.
//
// loaders: by rank, one for each rank from 0. epochs: epoch of the sampler in each epoch of the run, as far as known;
// empty before the first pass.
Result<SeenPlan> seenPlan(const std::map<int, LoaderFacts>& loaders, const std::vector<std::int64_t>& epochs);

// True if the given indices of trained samples are those of the plan. slot: position of the first index in the rank's
// part of the plan. A plan is shown only after the first batch of each rank has confirmed it.
bool matchesPlan(const ShardPlan& plan, int rank, std::int64_t slot, const std::vector<std::int64_t>& index);

}  // namespace ringside
