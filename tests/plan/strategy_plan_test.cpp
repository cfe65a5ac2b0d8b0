// SPDX-License-Identifier: Apache-2.0
// Tests of the numbers of a plan, which follow from the settings and the sizes of the data.
#include "plan/strategy_plan.h"

#include "layers_of.h"

using namespace ringside;
using namespace ringside::test;

namespace {

const char* const kThree = R"([{"kind": "linear", "out": 6}, {"kind": "relu"}, {"kind": "linear"}])";

// A model of three layers and 100 training samples.
PlanSubject subjectOf(const RunConfig& config, const std::string& layers = kThree, std::int64_t validation = 0) {
    return {.config = config,
            .model = modelOf(layers, {6}),
            .interface = {.sample = {6}, .outputs = 2},
            .trainingSamples = 100,
            .validationSamples = validation};
}

RunConfig configOf(StrategyKind strategy, std::int64_t ranks, std::int64_t batch) {
    RunConfig config;
    config.parallel.strategy = strategy;
    config.parallel.worldSize = ranks;
    config.loader.batchSize = batch;
    return config;
}

StrategyPlan planOf(const RunConfig& config, const std::string& layers = kThree) {
    const auto plan = planStrategy(subjectOf(config, layers), false);
    CAPTURE(plan ? std::string() : plan.problem().text());
    REQUIRE(plan);
    return plan.value();
}

RunConfig canonical(std::int64_t ranks, std::int64_t batch, std::int64_t leaves) {
    RunConfig config = configOf(StrategyKind::kDdp, ranks, batch);
    config.training.reduction = ReductionOrder::kCanonical;
    config.training.leaves = leaves;
    return config;
}

}  // namespace

TEST_CASE("the largest batch of a rank is its batch size, but at most its share of the samples") {
    const auto largest = [](std::int64_t ranks, std::int64_t batch, std::int64_t validation = 0) {
        return subjectOf(configOf(StrategyKind::kDdp, ranks, batch), kThree, validation).largestBatch();
    };
    CHECK(largest(4, 10) == 10);
    CHECK(largest(4, 64) == 25);
    CHECK(largest(3, 64) == 34);  // 100 / 3, padded
    CHECK(largest(4, 64, 200) == 50);
    CHECK(largest(4, 64, 201) == 51);
    CHECK(largest(4, 64, 40) == 25);
    RunConfig drops = configOf(StrategyKind::kDdp, 3, 64);
    drops.sampler.dropLast = true;
    CHECK(subjectOf(drops).largestBatch() == 33);
    drops.loader.batchSize = 0;  // 0 is invalid, but the window plans it while the user types
    CHECK(subjectOf(drops).largestBatch() == 0);
    PlanSubject empty = subjectOf(configOf(StrategyKind::kDdp, 4, 64));
    empty.trainingSamples = 0;
    CHECK(empty.largestBatch() == 1);
}

TEST_CASE("a step has the batches of all data-parallel ranks, but at most all samples") {
    const auto perStep = [](StrategyKind strategy, std::int64_t ranks, std::int64_t batch, std::int64_t steps = 1) {
        RunConfig config = configOf(strategy, ranks, batch);
        config.training.accumulateSteps = steps;
        return subjectOf(config).samplesPerStep();
    };
    CHECK(perStep(StrategyKind::kDdp, 4, 10) == 40);
    CHECK(perStep(StrategyKind::kDdp, 4, 5, 3) == 60);
    CHECK(perStep(StrategyKind::kDdp, 4, 10, 3) == 100);
    CHECK(perStep(StrategyKind::kDdp, 3, 64) == 102);  // 34 each, with padding
    CHECK(perStep(StrategyKind::kPipeline, 2, 10) == 10);
    CHECK(perStep(StrategyKind::kFsdp, 2, 10) == 20);
}

TEST_CASE("a plan of ddp is one stage of all layers, in buckets of the configured sizes") {
    RunConfig config = configOf(StrategyKind::kDdp, 4, 10);
    config.parallel.firstBucketMb = 0.5;
    config.parallel.bucketCapMb = 2;
    const StrategyPlan plan = planOf(config);
    CHECK(plan.mesh == Mesh{4, 1, 1});
    CHECK((plan.stages() == 1 && plan.stageBegin == std::vector<std::size_t>{0, 3}));
    CHECK((plan.buckets.firstBytes == 524'288 && plan.buckets.capBytes == 2'097'152));
    CHECK((plan.maxBatch == 10 && plan.microBatches == 1 && plan.microRows == 10 && plan.rounds() == 1));
    CHECK((plan.leaves == 0 && plan.devices == 0 && plan.keptLevels == 0 && !plan.unit));
    CHECK((plan.isWhole() && plan.holdsWholeModel()));
    CHECK(plan.parametersOf(0).size() == 4);
    const std::int64_t before = plansMade();
    planOf(config);
    CHECK(plansMade() == before + 1);
    config.training.accumulateSteps = 2;
    CHECK(planOf(config).keptLevels == 1);
}

TEST_CASE("data_parallel is one process with a number of devices") {
    RunConfig config = configOf(StrategyKind::kDataParallel, 4, 10);
    CHECK((planOf(config).devices == 4 && planOf(config).mesh == Mesh{1, 1, 1}));
    config.parallel.devices = 3;
    CHECK((planOf(config).devices == 3 && planOf(config).holdsWholeModel()));
}

TEST_CASE("a sharded plan keeps, frees and prefetches parameters as the fsdp settings require") {
    RunConfig config = configOf(StrategyKind::kFsdp, 4, 10);
    for (const ShardedState state : {ShardedState::kParameters, ShardedState::kGradients, ShardedState::kOptimizer}) {
        config.fsdp.shard = state;
        const ShardingChoice sharding = planOf(config).sharding;
        CHECK(sharding.freesParameters == (state == ShardedState::kParameters));
        CHECK(sharding.keepsGradients == (state == ShardedState::kOptimizer));
    }
    config.fsdp.prefetch = Prefetch::kNext;
    CHECK(planOf(config).sharding.prefetches);
    config.training.recompute = Recompute::kAll;
    CHECK_FALSE(planOf(config).sharding.prefetches);
    config.training.recompute = Recompute::kNone;
    config.fsdp.prefetch = Prefetch::kNone;
    CHECK_FALSE(planOf(config).sharding.prefetches);
    config.fsdp.unit = ShardUnit::kLayer;
    const StrategyPlan plan = planOf(config);
    CHECK((plan.mesh == Mesh{1, 4, 1} && plan.unit == ShardUnit::kLayer && plan.layers[0].isUnit));
    CHECK((!plan.isWhole() && !plan.holdsWholeModel()));
}

TEST_CASE("a pipeline has stages of whole layers and small micro-batches") {
    RunConfig config = configOf(StrategyKind::kPipeline, 2, 10);
    config.pipeline.microBatches = 4;
    config.pipeline.split = {1, 2};
    const StrategyPlan plan = planOf(config);
    CHECK(plan.mesh == Mesh{1, 1, 2});
    CHECK((plan.stages() == 2 && plan.rankOfStage == std::vector<int>{0, 1}));
    CHECK((plan.layersOf(0).first == 0 && plan.layersOf(0).last == 1));
    CHECK((plan.layersOf(1).first == 1 && plan.layersOf(1).last == 3));
    CHECK((plan.stagesOf(0) == std::vector<std::size_t>{0} && plan.stagesOf(1) == std::vector<std::size_t>{1}));
    CHECK((plan.microBatches == 4 && plan.microRows == 3 && plan.keptLevels == 1));  // 10 samples in 4 parts
    CHECK((!plan.isWhole() && !plan.holdsWholeModel() && !plan.unit));
    CHECK((plan.parametersOf(0).size() == 2 && plan.parametersOf(0)[0].values == 36));
    CHECK((plan.parametersOf(1).size() == 2 && plan.parametersOf(1)[0].values == 12));
    // Stages that are also sharded never free their parameters, keep their gradients, and are gathered block by block.
    config.parallel.worldSize = 4;
    config.mesh.shard = 2;
    config.fsdp.shard = ShardedState::kParameters;
    config.fsdp.unit = ShardUnit::kLayer;
    const StrategyPlan sharded = planOf(config);
    CHECK(sharded.mesh == Mesh{1, 2, 2});
    CHECK((!sharded.sharding.freesParameters && sharded.sharding.keepsGradients));
    CHECK(sharded.unit == ShardUnit::kBlock);
    config.pipeline.split = {1, 1};
    CHECK(planStrategy(subjectOf(config), false).problem().field == "pipeline.split");
}

TEST_CASE("with the canonical reduction, leaves are the parts of a batch") {
    const StrategyPlan plan = planOf(canonical(2, 10, 8));
    CHECK((plan.leaves == 4 && plan.microRows == 3 && plan.keptLevels == 2 && plan.rounds() == 4));
    CHECK((plan.isWhole() && !plan.holdsWholeModel()));
    CHECK(planOf(canonical(1, 10, 8)).keptLevels == 3);
    const StrategyPlan single = planOf(canonical(8, 10, 8));
    CHECK((single.leaves == 1 && single.microRows == 10 && single.keptLevels == 0 && single.rounds() == 1));
    // A batch that is larger than the samples of a rank.
    CHECK(planOf(canonical(8, 64, 8)).microRows == 13);
    RunConfig devices = canonical(2, 10, 8);
    devices.parallel.strategy = StrategyKind::kDataParallel;
    CHECK(planOf(devices).holdsWholeModel());
}

TEST_CASE("data_parallel cannot average batch norm's statistics over leaves") {
    const auto problemOf = [](StrategyKind strategy, ReductionOrder order, bool hasNorm) {
        RunConfig config = canonical(2, 10, 8);
        config.parallel.strategy = strategy;
        config.training.reduction = order;
        PlanSubject subject = subjectOf(config);
        subject.model = modelOf(hasNorm ? R"([{"kind": "batch_norm2d"}, {"kind": "flatten"}, {"kind": "linear"}])"
                                        : R"([{"kind": "flatten"}, {"kind": "linear"}])",
                                {2, 3, 5});
        const auto plan = planStrategy(subject, false);
        return plan ? std::string() : plan.problem().field;
    };
    CHECK(problemOf(StrategyKind::kDataParallel, ReductionOrder::kCanonical, true) == "training.reduction");
    CHECK(problemOf(StrategyKind::kDataParallel, ReductionOrder::kCanonical, false).empty());
    CHECK(problemOf(StrategyKind::kDataParallel, ReductionOrder::kRank, true).empty());
    CHECK(problemOf(StrategyKind::kDdp, ReductionOrder::kCanonical, true).empty());
}

TEST_CASE("a plan knows whether layers have statistics, masks or are skipped, at any depth") {
    struct Found {
        bool norm, dropout, skips;
        bool operator==(const Found&) const = default;
    };
    const auto find = [](const std::string& layers, const Shape& sample = {6}, Recompute recompute = Recompute::kNone) {
        PlanSubject subject = subjectOf(configOf(StrategyKind::kDdp, 2, 10));
        subject.config.training.recompute = recompute;
        subject.model = modelOf(layers, sample);
        const StrategyPlan plan = planStrategy(subject, false).value();
        return Found{plan.hasBatchNorm(), plan.hasDropout(), plan.skipsLayers()};
    };
    const auto residual = [](const std::string& body, const std::string& more = "") {
        return R"([{"kind": "residual", "layers": [)" + body + R"({"kind": "linear", "out": 6}])" + more +
               R"(}, {"kind": "linear"}])";
    };
    const std::string dropout = R"({"kind": "dropout", "p": 0.5})";
    CHECK(find(kThree) == Found{false, false, false});
    CHECK(find("[" + dropout + R"(, {"kind": "linear"}])") == Found{false, true, false});
    CHECK(find("[" + dropout + R"(, {"kind": "linear"}])", {6}, Recompute::kAll) == Found{false, true, false});
    CHECK(find(residual(R"({"kind": "linear", "out": 6}, )" + dropout + ", ")) == Found{false, true, false});
    CHECK(find(residual("", R"(, "shortcut": [{"kind": "linear", "out": 6}, )" + dropout + "]")) ==
          Found{false, true, false});
    CHECK(find(residual("")) == Found{false, false, false});
    CHECK(find(residual("", R"(, "skip": 0.5)")) == Found{false, false, true});
    CHECK(find(residual("", R"(, "skip": 0.5)"), {6}, Recompute::kBlocks) == Found{false, false, true});
    CHECK(find(residual(R"({"kind": "residual", "skip": 0.5, "layers": [{"kind": "linear", "out": 6}]}, )")) ==
          Found{false, false, true});
    CHECK(find(R"([{"kind": "batch_norm2d"}, {"kind": "flatten"}, {"kind": "linear"}])", {2, 3, 5}) ==
          Found{true, false, false});
}
