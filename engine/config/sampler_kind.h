// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "config/choices.h"

namespace ringside {

// Kinds of samplers: sampler.kind of an experiment. "Seeded" means a torch.Generator with seed + epoch.
enum class SamplerKind : std::uint8_t {
    kDistributed,   // torch.utils.data.DistributedSampler
    kSequential,    // torch.utils.data.SequentialSampler on every rank: no sharding
    kRandom,        // DataLoader(shuffle=True) on every rank after torch.manual_seed(seed + epoch): no sharding
    kBatchSharded,  // whole batches to each rank in turn, as Accelerate's BatchSamplerShard with even_batches
    kContiguous,    // one contiguous block of the order for each rank
    // as kDistributed, but no sample is repeated or dropped: some ranks may have one more sample; for evaluation
    kUnpadded,
    kWeighted,             // seeded WeightedRandomSampler(replacement=True), the same on every rank: no sharding
    kDistributedWeighted,  // draws of kWeighted, the same on every rank, assigned to ranks as by DistributedSampler
    kClassBalanced,        // batches with every class equally often
    kSubset,               // DistributedSampler over torch.utils.data.Subset; on one rank SubsetRandomSampler
};

constexpr std::array<std::string_view, 10> namesOf(SamplerKind) {
    return {"distributed", "sequential",           "random",         "batch_sharded", "contiguous", "unpadded",
            "weighted",    "distributed_weighted", "class_balanced", "subset"};
}

// Returns the names in experiment files, in the order of the enumeration.
std::span<const std::string_view> samplerNames();
std::string_view samplerName(SamplerKind kind);
std::optional<SamplerKind> samplerNamed(std::string_view name);

// Returns a sentence that describes the kind.
std::string samplerSentence(SamplerKind kind);

bool needsClasses(SamplerKind kind);      // true if the sampler uses the classes of the samples
bool isReplicated(SamplerKind kind);      // true if every rank gets the whole order
bool mayRepeatSamples(SamplerKind kind);  // true if the sampler draws with replacement: one epoch may contain a sample
                                          // several times
bool assignsBatches(SamplerKind kind);    // true if the sampler assigns whole batches and also pads whole batches
bool usesSetEpoch(SamplerKind kind);      // true if the order changes between epochs only by set_epoch
bool takesDropLast(SamplerKind kind);     // true if the sampler has the option drop_last

}  // namespace ringside
