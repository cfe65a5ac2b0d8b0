// SPDX-License-Identifier: Apache-2.0
#include "watch/plan/seen_plan.h"

#include <sstream>

#include "base/system/files.h"
#include "support/catch.h"
#include "support/places.h"
#include "telemetry/events/codec.h"

using namespace ringside;

namespace {

struct Recorded {
    std::map<int, LoaderFacts> loaders;  // facts of the training loader, by rank
    std::vector<std::int64_t> epochs;    // epochs of the sampler, as set_epoch() has set them
    std::vector<ConsumedIndices> trained;
};

// Reads a record of real PyTorch from tests/watch/plan/recorded.
Recorded recorded(const std::string& name) {
    RecordedFacts facts;
    Recorded result;
    std::istringstream lines(readFile(sourceFile("tests/watch/plan/recorded/" + name + ".jsonl"), 1U << 20).value());
    for (std::string line; std::getline(lines, line);) {
        const Event event = decodeLine(line).value();
        facts.add(event);
        if (const auto* one = std::get_if<ConsumedIndices>(&event)) result.trained.push_back(*one);
    }
    for (const auto& [rank, one] : facts.attempts().at(0)) {
        const std::int64_t loader = one.lastEpoch.begin()->first;
        result.loaders[rank] = one.loaders.at(loader);
        for (std::int64_t epoch = 0; rank == 0 && epoch <= one.lastEpoch.at(loader); ++epoch) {
            const PassFacts* pass = one.passOf(loader, epoch);
            if (pass != nullptr && pass->samplerEpoch) result.epochs.push_back(*pass->samplerEpoch);
        }
    }
    return result;
}

LoaderFacts loaderOf(const Json& sampler, std::int64_t length = 10) {
    LoaderFacts loader;
    loader.sampler = {{"class", "torch.utils.data.sampler.BatchSampler"}, {"batch_size", 2}, {"inner", sampler}};
    loader.dataset.resize(1);
    loader.dataset[0].length = length;
    return loader;
}

Json distributed(int rank, int ranks, std::int64_t seed = 0) {
    return {{"class", "torch.utils.data.distributed.DistributedSampler"},
            {"num_replicas", ranks},
            {"rank", rank},
            {"seed", seed},
            {"shuffle", true},
            {"drop_last", false}};
}

}  // namespace

TEST_CASE("plans of recorded samplers are the samples that PyTorch trained", "[seenplan]") {
    const auto& [name, kind, ranks] = GENERATE(table<std::string, SamplerKind, int>({
        {"ddp_three_ranks", SamplerKind::kDistributed, 3},
        {"lightning_two_ranks", SamplerKind::kDistributed, 2},
        {"accelerate_two_ranks", SamplerKind::kBatchSharded, 2},
    }));
    const Recorded run = recorded(name);
    const Result<SeenPlan> plan = seenPlan(run.loaders, run.epochs);
    REQUIRE(plan);
    CHECK(plan.value().sampler.kind == kind);
    CHECK(plan.value().ranks == ranks);
    CHECK(plan.value().sampler.setEpoch);
    std::int64_t compared = 0;
    for (const ConsumedIndices& one : run.trained) {
        const ShardPlan epoch = ShardPlan::make(plan.value().specAt(one.epoch)).value();
        CHECK(matchesPlan(epoch, one.rank, one.slot, one.index));
        compared += static_cast<std::int64_t>(one.index.size());
    }
    CHECK(compared > 100);
}

TEST_CASE("the order of Accelerate's default sampler is not claimed", "[seenplan]") {
    const Recorded run = recorded("accelerate_default");
    const Result<SeenPlan> plan = seenPlan(run.loaders, run.epochs);
    REQUIRE_FALSE(plan);
    CHECK(plan.problem().message.find("RandomSampler depends on the state of its generator") != std::string::npos);
}

TEST_CASE("a sampler with a later first epoch has the plan of a larger seed", "[seenplan]") {
    const std::map<int, LoaderFacts> loaders = {{0, loaderOf(distributed(0, 1, 7))}};
    const SeenPlan plan = seenPlan(loaders, {3, 4}).value();
    CHECK(plan.specAt(0).seed + plan.specAt(0).epoch == 10);
    CHECK(plan.specAt(1).seed + plan.specAt(1).epoch == 11);
}

TEST_CASE("a sampler without set_epoch has the same plan in every epoch", "[seenplan]") {
    const std::map<int, LoaderFacts> loaders = {{0, loaderOf(distributed(0, 1))}};
    const SeenPlan plan = seenPlan(loaders, {0, 0, 0}).value();
    CHECK_FALSE(plan.sampler.setEpoch);
    CHECK(plan.specAt(2) == plan.specAt(0));
    CHECK_FALSE(seenPlan(loaders, {0, 0, 1}));
}

TEST_CASE("samplers that no plan describes are refused with a reason", "[seenplan]") {
    const auto messageOf = [](const std::map<int, LoaderFacts>& loaders) {
        const Result<SeenPlan> plan = seenPlan(loaders, {});
        return plan ? std::string() : plan.problem().message;
    };
    CHECK(messageOf({}).find("no rank") != std::string::npos);
    CHECK(messageOf({{0, loaderOf({{"class", "train.Mine"}})}}).find("train.Mine") != std::string::npos);
    CHECK(messageOf({{0, loaderOf(distributed(0, 2))}}).find("is not that of the process") != std::string::npos);
    CHECK(messageOf({{0, loaderOf(distributed(0, 2, 1))}, {1, loaderOf(distributed(1, 2, 2))}})
              .find("different settings") != std::string::npos);
    CHECK(messageOf({{0, loaderOf(distributed(0, 1), -1)}}).find("no length") != std::string::npos);
    LoaderFacts damaged = loaderOf(distributed(0, 1));
    damaged.sampler = Json(7);
    CHECK_FALSE(messageOf({{0, damaged}}).empty());
}

TEST_CASE("a plan is not confirmed by other samples or by too many", "[seenplan]") {
    LoaderFacts loader = loaderOf({{"class", "torch.utils.data.sampler.SequentialSampler"}}, 3);
    const ShardPlan plan = ShardPlan::make(seenPlan({{0, loader}}, {}).value().specAt(0)).value();
    CHECK(matchesPlan(plan, 0, 1, {1, 2}));
    CHECK_FALSE(matchesPlan(plan, 0, 1, {2, 1}));
    CHECK_FALSE(matchesPlan(plan, 0, 1, {1, 2, 3}));
    CHECK_FALSE(matchesPlan(plan, 1, 0, {0}));
}
