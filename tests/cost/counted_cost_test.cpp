// SPDX-License-Identifier: Apache-2.0
// Tests that predictions from the model equal the memory that the engine allocates and the bytes that its communicators
// send.
#include "base/system/files.h"
#include "config/mesh.h"
#include "cost/strategy_cost.h"
#include "support/catch.h"
#include "support/choices.h"
#include "support/temporary_directory.h"
#include "train/training_run.h"

using namespace ringside;
using namespace ringside::test;

namespace {

RunConfig perceptron(std::int64_t ranks) {
    RunConfig config;
    config.dataset.kind = DatasetKind::kSynthetic;
    config.dataset.shape = SyntheticShape::kBlobs;
    config.dataset.size = 320;
    config.model.hidden = {53, 31, 17};
    config.parallel.worldSize = ranks;
    config.parallel.device = DeviceChoice::kCpu;
    config.loader.batchSize = 16;
    config.optimizer.kind = OptimizerKind::kAdam;
    config.training.maxSteps = 3;
    return config;
}

RunConfig convolutions(std::int64_t ranks, const std::string& kind) {
    RunConfig config = perceptron(ranks);
    config.dataset = {};
    choose(config.model.kind, kind);
    config.model.width = 8;
    config.model.depth = 1;
    config.loader.batchSize = 8;
    return config;
}

RunConfig transformer(std::int64_t ranks, const TemporaryDirectory& directory) {
    std::string words;
    for (int i = 0; i < 600; ++i) words += "ring " + std::to_string(i * i) + " side ";
    const auto path = directory.path() / "text.txt";
    writeFileAtomically(path, words);
    RunConfig config = perceptron(ranks);
    config.dataset.kind = DatasetKind::kText;
    config.dataset.path = path.string();
    config.dataset.contextLength = 12;
    config.model.kind = ModelKind::kTransformer;
    config.model.width = 16;
    config.model.heads = 2;
    config.model.depth = 2;
    config.model.dropout = 0.1;
    config.optimizer.kind = OptimizerKind::kSgd;
    config.optimizer.momentum = 0.9;
    config.loader.batchSize = 8;
    return config;
}

RunConfig inLeaves(RunConfig config) {
    config.training.reduction = ReductionOrder::kCanonical;
    config.training.leaves = 8;
    return config;
}

struct Counted {
    std::vector<RankMemory> memory;
    std::vector<std::int64_t> bytes;  // bytes sent in the second step
};

Counted train(const RunConfig& config) {
    REQUIRE(config.validateForTraining().empty());
    Counted counted;
    for (const RankReport& rank : trainAsThreads(config)) {
        counted.memory.push_back(rank.all<RankMemory>().back());
        counted.bytes.push_back(rank.all<RankTraffic>().back().bytes);
    }
    return counted;
}

void checkPredicted(const RunConfig& config) {
    const DataSplit data = loadDataset(config.dataset).value();
    const Result<StrategyCost> cost = costOf(planSubject(config, data).value(), {});
    REQUIRE(cost.ok());
    const Counted counted = train(config);
    REQUIRE(cost.value().memory.size() == counted.memory.size());
    for (std::size_t rank = 0; rank < counted.memory.size(); ++rank) {
        CAPTURE(rank);
        const PredictedMemory& predicted = cost.value().memory[rank];
        const RankMemory& memory = counted.memory[rank];
        CHECK(predicted.parameters == memory.parameters);
        CHECK(predicted.gradients == memory.gradients);
        CHECK(predicted.optimizer == memory.optimizer);
        CHECK(predicted.activations == memory.activations);
        CHECK(predicted.gathered == memory.gathered);
        CHECK(predicted.buffers == memory.buffers);
        CHECK(memory.predictedPeak == predicted.peak());
        CHECK(static_cast<double>(predicted.peak()) == Approx(static_cast<double>(memory.peak)).epsilon(0.02));
        CHECK(cost.value().traffic[rank].total() == counted.bytes[rank]);
    }
}

RunConfig sharded(RunConfig config, const std::string& shard, const std::string& unit = "block") {
    config.parallel.strategy = StrategyKind::kFsdp;
    choose(config.fsdp.shard, shard);
    choose(config.fsdp.unit, unit);
    return config;
}

RunConfig pipelined(RunConfig config, const std::string& schedule, std::int64_t microBatches = 4) {
    config.parallel.strategy = StrategyKind::kPipeline;
    choose(config.pipeline.schedule, schedule);
    config.pipeline.microBatches = microBatches;
    if (schedule == "interleaved") config.pipeline.stagesPerRank = 2;
    return config;
}

void checkStrategies(const RunConfig& config) {
    checkPredicted(config);
    for (const char* shard : {"optimizer", "gradients", "parameters"}) {
        CAPTURE(shard);
        checkPredicted(sharded(config, shard));
    }
    for (const char* schedule : {"gpipe", "1f1b", "zero_bubble"}) {
        CAPTURE(schedule);
        checkPredicted(pipelined(config, schedule));
    }
}

}  // namespace

TEST_CASE("memory and bytes of a perceptron are predicted under every strategy") {
    checkStrategies(perceptron(2));
    checkPredicted(pipelined(perceptron(2), "interleaved"));
    checkPredicted(sharded(perceptron(3), "parameters", "layer"));
    checkPredicted(sharded(perceptron(3), "parameters", "whole"));
}

TEST_CASE("a perceptron on flattened images is split into even stages") {
    RunConfig config = pipelined(perceptron(4), "1f1b", 8);
    config.dataset = {};
    config.model.hidden = {64, 64, 64, 64, 64, 64, 64};
    checkPredicted(config);
    const PlanSubject subject = planSubject(config, loadDataset(config.dataset).value()).value();
    const StrategyPlan plan = planStrategy(subject).value();
    for (std::size_t stage = 0; stage < 4; ++stage) CHECK(plan.parametersOf(stage).size() == 4);  // two linear layers
}

TEST_CASE("memory and bytes of convolutions are predicted under every strategy") {
    for (const char* kind : {"simple_cnn", "residual_cnn"}) {
        CAPTURE(kind);
        checkStrategies(convolutions(2, kind));
    }
    checkPredicted(sharded(convolutions(2, "residual_cnn"), "parameters", "layer"));
}

TEST_CASE("memory and bytes of a transformer are predicted under every strategy") {
    const TemporaryDirectory directory;
    checkStrategies(transformer(2, directory));
    checkPredicted(sharded(transformer(2, directory), "parameters", "layer"));
}

TEST_CASE("memory and bytes of hybrids, accumulation, clipping and recomputing are predicted") {
    RunConfig replicas = sharded(perceptron(4), "parameters");
    replicas.mesh.replicate = 2;
    checkPredicted(replicas);
    for (const bool shards : {false, true}) {
        RunConfig stages = pipelined(perceptron(4), "1f1b");
        (shards ? stages.mesh.shard : stages.mesh.replicate) = 2;
        stages.optimizer.clipGradNorm = 0.5;
        checkPredicted(stages);
    }
    RunConfig accumulating = sharded(perceptron(2), "gradients");
    accumulating.training.accumulateSteps = 2;
    checkPredicted(accumulating);
    for (const char* shard : {"optimizer", "parameters"}) {
        choose(accumulating.fsdp.shard, shard);
        accumulating.fsdp.unit = ShardUnit::kWhole;
        checkPredicted(accumulating);
    }
    RunConfig clipped = sharded(perceptron(3), "gradients", "whole");
    clipped.optimizer.clipGradNorm = 0.5;
    checkPredicted(clipped);
    accumulating.parallel.strategy = StrategyKind::kDdp;
    checkPredicted(accumulating);
    for (const char* which : {"blocks", "all"}) {
        CAPTURE(which);
        const TemporaryDirectory directory;
        RunConfig again = transformer(2, directory);
        choose(again.training.recompute, which);
        checkPredicted(again);
        checkPredicted(sharded(again, "parameters"));
        checkPredicted(pipelined(again, "1f1b"));
        RunConfig three = sharded(transformer(3, directory), "parameters");
        three.training.recompute = again.training.recompute;
        three.training.accumulateSteps = 2;
        checkPredicted(three);
    }
}

// Memory with float32 and Adam (Rajbhandari et al. 2020): parameters 4 bytes, gradients 4, two moments 8, each divided
// by the number of ranks if the level shards it. In addition, the complete parameters and gradients of the units in
// use.
TEST_CASE("levels of sharding use the memory of their definition") {
    constexpr double kUnit = 4.0 / 32;  // bytes per parameter of one of 32 layers
    RunConfig config = perceptron(4);
    config.dataset = {};  // digits: 64 inputs
    config.model.hidden = std::vector<std::int64_t>(32, 64);
    const double parameters = 32 * (64 * 64 + 64) + 64 * 10 + 10;
    const auto stateOf = [&](const std::string& shard, const std::string& prefetch) {
        RunConfig sharding = sharded(config, shard, "layer");
        choose(sharding.fsdp.prefetch, prefetch);
        checkPredicted(sharding);
        const RankMemory memory = train(sharding).memory.front();
        return static_cast<double>(memory.parameters + memory.gradients + memory.optimizer + memory.gathered) /
               parameters;
    };
    for (const char* prefetch : {"next", "none"}) {
        CAPTURE(prefetch);
        const double ahead = std::string(prefetch) == "next" ? kUnit : 0;
        CHECK(stateOf("optimizer", prefetch) == Approx(4 + 4 + 8.0 / 4).margin(0.03));
        CHECK(stateOf("gradients", prefetch) == Approx(4 + 4.0 / 4 + 8.0 / 4 + kUnit).margin(0.03));
        CHECK(stateOf("parameters", prefetch) == Approx(4.0 / 4 + 4.0 / 4 + 8.0 / 4 + 2 * kUnit + ahead).margin(0.03));
    }
}

// All devices of data_parallel belong to one rank. The prediction is for the first device.
TEST_CASE("memory of data_parallel's first device is predicted") {
    const TemporaryDirectory directory;
    for (RunConfig config : {perceptron(4), convolutions(2, "residual_cnn"), transformer(2, directory)}) {
        config.parallel.strategy = StrategyKind::kDataParallel;
        checkPredicted(withProcessesAsRanks(config));
        config.training.accumulateSteps = 2;
        checkPredicted(withProcessesAsRanks(config));
    }
    RunConfig leaves = inLeaves(perceptron(4));
    leaves.parallel.strategy = StrategyKind::kDataParallel;
    checkPredicted(withProcessesAsRanks(leaves));
}

TEST_CASE("memory and bytes of a canonical reduction are predicted under every strategy") {
    const TemporaryDirectory directory;
    for (const RunConfig& config : {perceptron(2), convolutions(2, "residual_cnn"), transformer(2, directory)})
        checkStrategies(inLeaves(config));
    checkPredicted(inLeaves(perceptron(1)));
    RunConfig replicas = sharded(inLeaves(perceptron(4)), "parameters");
    replicas.mesh.replicate = 2;
    checkPredicted(replicas);
    RunConfig stages = pipelined(inLeaves(perceptron(4)), "1f1b", 2);
    stages.mesh.shard = 2;
    stages.optimizer.clipGradNorm = 0.5;
    checkPredicted(stages);
    RunConfig again = inLeaves(transformer(2, directory));
    again.training.recompute = Recompute::kBlocks;
    checkPredicted(sharded(again, "parameters"));
}
