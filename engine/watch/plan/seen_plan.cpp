// SPDX-License-Identifier: Apache-2.0
#include "watch/plan/seen_plan.h"

#include <optional>
#include <string>
#include <string_view>

#include "sampling/plan/epoch_spec.h"
#include "watch/evidence/fact_reader.h"

namespace ringside {
namespace {

constexpr std::string_view kBatchSampler = "torch.utils.data.sampler.BatchSampler";
constexpr std::string_view kDistributedSampler = "torch.utils.data.distributed.DistributedSampler";
constexpr std::string_view kSequentialSampler = "torch.utils.data.sampler.SequentialSampler";
constexpr std::string_view kAccelerateShard = "accelerate.data_loader.BatchSamplerShard";
constexpr std::string_view kAccelerateRandom = "accelerate.data_loader.SeedableRandomSampler";

Problem noPlan(const std::string& why) {
    return {"plan", "is not known: " + why, "the samples are shown as they were seen"};
}

// Returns the facts of the sampler inside of another sampler, or an empty object.
const Json& innerOf(const Json& sampler) {
    static const Json none = Json::object();
    const Json* inner = memberOf(sampler, "inner");
    return inner == nullptr ? none : *inner;
}

std::string classOf(const Json& sampler) {
    return textOf(sampler, "class");
}

// Determines the sample plan of one rank from the facts of its loader. rank: number of this rank; ranks: number of
// ranks of the run. Returns a problem if the sampler was created for another rank or another number of ranks.
Result<SeenPlan> planOfRank(const LoaderFacts& loader, std::int64_t rank, std::int64_t ranks) {
    SeenPlan plan{.sampler = {}, .loader = {}, .datasetSize = loader.dataset.front().length, .ranks = ranks};
    if (plan.datasetSize < 0) return noPlan("the data set has no length");
    if (plan.datasetSize > kMaxDatasetSize) return noPlan("the data set has more than 2^31 - 1 samples");
    const Json& outer = loader.sampler;
    const bool shards = classOf(outer) == kAccelerateShard;
    const Json& batches = shards ? innerOf(outer) : outer;
    if (classOf(batches) != kBatchSampler) return noPlan("the script uses its own batch sampler, " + classOf(batches));
    plan.loader.batchSize = numberOf(batches, "batch_size", 0);
    plan.loader.dropLast = flagOf(batches, "drop_last").value_or(false);
    if (plan.loader.batchSize < 1 || plan.loader.batchSize > kMaxDatasetSize)
        return noPlan("the batch size is not known");
    const Json& sampler = innerOf(batches);
    const std::string name = classOf(sampler);
    if (shards) {
        const bool fits = numberOf(outer, "num_processes", 0) == ranks &&
                          numberOf(outer, "process_index", -1) == rank && flagOf(outer, "even_batches") == true &&
                          flagOf(outer, "split_batches") == false;
        if (!fits || plan.loader.dropLast) return noPlan("Accelerate splits batches in another way than its default");
        plan.sampler.kind = SamplerKind::kBatchSharded;
        plan.sampler.shuffle = name == kAccelerateRandom;
        plan.sampler.seed = numberOf(sampler, "initial_seed", 0);
        if (name == kAccelerateRandom && !numberOf(sampler, "initial_seed")) return noPlan("the seed is not reported");
        if (name != kAccelerateRandom && name != kSequentialSampler)
            return noPlan("the order of " + name + " depends on the state of its generator");
        return plan;
    }
    if (name == kDistributedSampler) {
        if (numberOf(sampler, "num_replicas", 0) != ranks || numberOf(sampler, "rank", -1) != rank)
            return noPlan("the rank or the number of ranks of DistributedSampler is not that of the process");
        const auto shuffle = flagOf(sampler, "shuffle"), dropLast = flagOf(sampler, "drop_last");
        const auto seed = numberOf(sampler, "seed");
        if (!shuffle || !dropLast || !seed) return noPlan("DistributedSampler has settings that are not reported");
        plan.sampler.shuffle = *shuffle;
        plan.sampler.dropLast = *dropLast;
        plan.sampler.seed = *seed;
        return plan;
    }
    if (name == kSequentialSampler) {
        plan.sampler.kind = SamplerKind::kSequential;
        return plan;
    }
    return noPlan("the order of " + (name.empty() ? std::string("the sampler") : name) +
                  " depends on a generator or on the script");
}

// Sets whether the script calls set_epoch(), and the seed. Returns a problem unless the sampler's epochs either all are
// equal, or increase by one from epoch to epoch. The first one can be any number.
std::optional<Problem> addEpochs(SeenPlan& plan, const std::vector<std::int64_t>& epochs) {
    if (epochs.empty() || !usesSetEpoch(plan.sampler.kind)) return {};
    bool increases = true, stays = epochs.size() > 1;
    for (std::size_t i = 0; i < epochs.size(); ++i) {
        increases &= epochs[i] == epochs[0] + static_cast<std::int64_t>(i);
        stays &= epochs[i] == epochs[0];
    }
    if (!increases && !stays)
        return noPlan("the epoch of the sampler is not constant and does not increase by one from epoch to epoch");
    plan.sampler.setEpoch = !stays;
    // PyTorch seeds the generator with seed + epoch, so a first epoch of E has the same effect as a seed larger by E.
    plan.sampler.seed += epochs[0];
    return {};
}

}  // namespace

ShardSpec SeenPlan::specAt(std::int64_t epoch) const {
    RunConfig config;
    config.sampler = sampler;
    config.loader = loader;
    config.parallel.worldSize = ranks;
    return epochSpec(config, datasetSize, epoch);
}

Result<SeenPlan> seenPlan(const std::map<int, LoaderFacts>& loaders, const std::vector<std::int64_t>& epochs) {
    std::optional<SeenPlan> plan;
    const auto ranks = static_cast<std::int64_t>(loaders.size());
    for (const auto& [rank, loader] : loaders) {
        const Result<SeenPlan> own = planOfRank(loader, rank, ranks);
        if (!own) return own.problem();
        if (!plan) plan = own.value();
        const bool same = plan->sampler == own.value().sampler && plan->loader == own.value().loader &&
                          plan->datasetSize == own.value().datasetSize;
        if (!same) return noPlan("the samplers of the ranks have different settings");
    }
    if (!plan) return noPlan("no rank has a training loader");
    if (auto problem = addEpochs(*plan, epochs)) return *problem;
    return *plan;
}

bool matchesPlan(const ShardPlan& plan, int rank, std::int64_t slot, const std::vector<std::int64_t>& index) {
    if (rank < 0 || rank >= plan.spec().worldSize || slot < 0) return false;
    for (const std::int64_t one : index) {
        if (slot >= plan.samplesOf(rank) || plan.index(rank, slot) != one) return false;
        ++slot;
    }
    return true;
}

}  // namespace ringside
