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

// How samples are dealt to ranks: sampler.kind of an experiment. "Seeded" means a torch.Generator with seed + epoch.
enum class SamplerKind : std::uint8_t {
    kDistributed,          // torch.utils.data.DistributedSampler
    kSequential,           // SequentialSampler on every rank: no sharding
    kRandom,               // DataLoader(shuffle=True) on every rank after torch.manual_seed(seed + epoch): no sharding
    kBatchSharded,         // whole batches in turn, as Accelerate's BatchSamplerShard with even_batches
    kContiguous,           // the order cut into one block for each rank
    kUnpadded,             // as distributed, but nothing is repeated or dropped: ranks may differ by one (evaluation)
    kWeighted,             // seeded WeightedRandomSampler(replacement=True), the same on every rank: no sharding
    kDistributedWeighted,  // the same draws on every rank, dealt like DistributedSampler deals an order
    kClassBalanced,        // batches with every class equally often
    kSubset,               // DistributedSampler over torch.utils.data.Subset; on one rank SubsetRandomSampler
};

constexpr std::array<std::string_view, 10> namesOf(SamplerKind) {
    return {"distributed", "sequential",           "random",         "batch_sharded", "contiguous", "unpadded",
            "weighted",    "distributed_weighted", "class_balanced", "subset"};
}

// Names in experiment files, in the order of the enumeration.
std::span<const std::string_view> samplerNames();
std::string_view samplerName(SamplerKind kind);
std::optional<SamplerKind> samplerNamed(std::string_view name);

// One sentence: what this kind does with the samples.
std::string samplerSentence(SamplerKind kind);

bool needsClasses(SamplerKind kind);   // weights and balance come from the samples' classes
bool isReplicated(SamplerKind kind);   // every rank gets the whole order
bool repeatsDraws(SamplerKind kind);   // one order may hold a sample several times
bool dealsByBatch(SamplerKind kind);   // padding fills whole batches
bool usesSetEpoch(SamplerKind kind);   // without set_epoch every epoch has the same order
bool takesDropLast(SamplerKind kind);  // the sampler's drop_last matters

}  // namespace ringside
