// SPDX-License-Identifier: Apache-2.0
#include "sampling/findings/coverage.h"

#include <set>

#include "sampling/plan/epoch_spec.h"
#include "support/catch.h"
#include "support/labelled_set.h"

using namespace ringside;

namespace {

// Returns the distinct samples of an epoch, slot by slot.
std::set<std::int64_t> trainedSamples(const ShardPlan& plan) {
    std::set<std::int64_t> samples;
    for (int rank = 0; rank < plan.spec().worldSize; ++rank)
        for (std::int64_t slot = 0; slot < plan.trainedOf(rank); ++slot) samples.insert(plan.index(rank, slot));
    return samples;
}

RunConfig configOf(SamplerKind kind, std::int64_t epochs) {
    RunConfig config;
    config.parallel.worldSize = 4;
    config.sampler.kind = kind;
    config.loader.batchSize = 3;
    config.training.epochs = epochs;
    return config;
}

constexpr std::int64_t kSamples = 30;

std::shared_ptr<const ClassLabels> classes() {
    std::vector<std::int64_t> labels(kSamples);
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = i % 5 == 0 ? 1 : 0;
    return ringside::testing::labelledSet(labels, 2);
}

}  // namespace

TEST_CASE("the samples that no epoch trains are those of a list of each epoch") {
    const auto data = classes();
    for (const SamplerKind kind : {SamplerKind::kDistributed, SamplerKind::kSequential, SamplerKind::kRandom,
                                   SamplerKind::kContiguous, SamplerKind::kWeighted, SamplerKind::kSubset})
        for (const bool shuffle : {false, true})
            for (const bool setEpoch : {false, true})
                for (const bool dropLast : {false, true})
                    for (const std::int64_t epochs : {1, 2, 3}) {
                        RunConfig config = configOf(kind, epochs);
                        config.sampler.shuffle = shuffle;
                        config.sampler.setEpoch = setEpoch;
                        config.sampler.dropLast = dropLast;
                        config.loader.dropLast = dropLast;
                        CAPTURE(samplerName(kind), shuffle, setEpoch, dropLast, epochs);
                        std::set<std::int64_t> seen;
                        for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
                            ShardSpec spec = epochSpec(config, kSamples, epoch);
                            spec.data = data;
                            seen.merge(trainedSamples(ShardPlan::make(spec).value()));
                        }
                        const Coverage expected{kSamples, epochs, kSamples - static_cast<std::int64_t>(seen.size())};
                        CHECK(coverage(config, kSamples, nullptr, data) == expected);
                    }
}

TEST_CASE("no sample is seen without a plan, and a stopped count examines no epoch") {
    // Two ranks with one sample each cannot fill a batch of 3.
    RunConfig config = configOf(SamplerKind::kDistributed, 2);
    config.loader.dropLast = true;
    CHECK(coverage(config, 8) == Coverage{8, 2, 8});
    CHECK(coverage(config, 0) == Coverage{0, 2, 0});
    // This sampler needs the classes of the samples.
    CHECK(coverage(configOf(SamplerKind::kWeighted, 2), 8).neverSeen == 8);
    const std::atomic<bool> stop = true;
    CHECK(coverage(configOf(SamplerKind::kDistributed, 2), 8, &stop).neverSeen == 8);
}

TEST_CASE("the number of samples of an epoch is counted by formula where the order gives it") {
    for (const std::int64_t samples : {2, 8, 29, 30})
        for (const bool dropLast : {false, true})
            for (const SamplerKind kind : {SamplerKind::kDistributed, SamplerKind::kContiguous, SamplerKind::kRandom}) {
                ShardSpec spec{.datasetSize = samples, .worldSize = 4, .dropLast = dropLast, .batchSize = 3};
                spec.loaderDropLast = dropLast;
                spec.kind = kind;
                const ShardPlan plan = ShardPlan::make(spec).value();
                const auto expected = static_cast<std::int64_t>(trainedSamples(plan).size());
                CAPTURE(samples, dropLast, samplerName(kind));
                CHECK(countTrainedSamples(plan) == expected);
                CHECK(countTrainedSamplesByFormula(plan).has_value() == (kind == SamplerKind::kDistributed));
                CHECK(countTrainedSamplesByFormula(plan).value_or(expected) == expected);
            }
    const ShardSpec mistaken{.datasetSize = 30, .worldSize = 4, .pitfalls = {.wrongRank = 1}};
    CHECK_FALSE(countTrainedSamplesByFormula(ShardPlan::make(mistaken).value()));
    CHECK(countTrainedSamples(ShardPlan::make(mistaken).value()) == 8);
}
