// SPDX-License-Identifier: Apache-2.0
// Tests of bytes, links, times and memory of a step at each moment, against calculations by hand.
#include "cost/memory_over_step.h"
#include "cost/step_links.h"
#include "cost/strategy_cost.h"
#include "data/sets/common/dataset.h"
#include "support/catch.h"

using namespace ringside;

namespace {

using What = StepLink::What;

// Returns a perceptron for digits of 64 values, with hidden layers, 10 classes and batches of 32.
PlanSubject perceptron(std::int64_t ranks, std::vector<std::int64_t> hidden, StrategyKind strategy) {
    RunConfig config;
    config.model.hidden = std::move(hidden);
    config.parallel.worldSize = ranks;
    config.parallel.strategy = strategy;
    config.loader.batchSize = 32;
    return planSubject(config, loadDataset(config.dataset).value()).value();
}

StrategyCost costWith(const PlanSubject& subject, const MachineRates& rates = {}) {
    return ringside::costOf(subject, rates).value();
}

// Returns "0>1 1>0 ", the links that transfer something, in the order of the ranks.
std::string routes(const std::vector<StepLink>& links, What what) {
    std::string text;
    for (const StepLink& one : links)
        if (one.what == what) text += std::to_string(one.from) + ">" + std::to_string(one.to) + " ";
    return text;
}

std::int64_t bytesOn(const std::vector<StepLink>& links, int from, int to, What what) {
    for (const StepLink& one : links)
        if (one.from == from && one.to == to && one.what == what) return one.bytes;
    return 0;
}

// Gathered bytes and activations at a moment.
struct Moment {
    double at;
    std::int64_t gathered;
    std::int64_t activations;
};

void checkCurve(const PlanSubject& subject, double end, const std::vector<Moment>& expected) {
    const StrategyCost cost = costWith(subject);
    const MemoryCurve curve = memoryOverStep(subject, cost.plan, 0);
    CHECK(curve.end == Approx(end));
    REQUIRE(curve.moments.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CAPTURE(i);
        CHECK(curve.moments[i].at == Approx(expected[i].at));
        CHECK(curve.moments[i].inUse.gathered == expected[i].gathered);
        CHECK(curve.moments[i].inUse.activations == expected[i].activations);
        CHECK(curve.moments[i].inUse.parameters == cost.memory[0].parameters);
    }
}

}  // namespace

TEST_CASE("shards and gradients move around the rings of their groups") {
    PlanSubject subject = perceptron(4, {16}, StrategyKind::kFsdp);
    std::vector<StepLink> links = stepLinks(subject, costWith(subject).plan);
    CHECK(routes(links, What::kParameters) == "0>1 1>2 2>3 3>0 ");
    CHECK(routes(links, What::kGradients) == "0>1 1>2 2>3 3>0 ");
    // 64-16-10: a quarter of the rows of each tensor, rounded up: 4 x 64, 4, 3 x 16 and 3 values; three quarters of
    // the whole leave each rank.
    const std::int64_t chunks = 4 * (256 + 4 + 48 + 3);
    // Parameters are gathered for the forward and the backward pass.
    CHECK(bytesOn(links, 0, 1, What::kParameters) == 2 * 3 * chunks);
    CHECK(bytesOn(links, 0, 1, What::kGradients) == 3 * chunks);
    subject.config.mesh.replicate = 2;  // two replicas of two shards each
    links = stepLinks(subject, costWith(subject).plan);
    CHECK(routes(links, What::kParameters) == "0>1 1>0 2>3 3>2 ");
    CHECK(routes(links, What::kGradients) == "0>1 1>2 2>3 3>0 ");
    const std::int64_t halves = 4 * (512 + 8 + 80 + 5);
    CHECK(bytesOn(links, 2, 3, What::kParameters) == 2 * halves);
    CHECK(bytesOn(links, 1, 2, What::kGradients) == 2 * (2 * halves) * 3 / 4);  // an all-reduce of four ranks
}

TEST_CASE("stages of an interleaved pipeline send to the next rank and back to the first") {
    PlanSubject subject = perceptron(2, {16, 16, 16}, StrategyKind::kPipeline);
    subject.config.pipeline = {.schedule = PipelineScheduleKind::kInterleaved, .microBatches = 4, .stagesPerRank = 2};
    const StrategyCost cost = costWith(subject);
    const auto links = stepLinks(subject, cost.plan);
    // Stages 0 and 2 are on rank 0, 1 and 3 on rank 1; each boundary has 32 x 16 values.
    const std::int64_t boundary = 32 * 16 * 4;
    CHECK(bytesOn(links, 0, 1, What::kActivations) == 2 * boundary);
    CHECK(bytesOn(links, 1, 0, What::kActivations) == boundary);
    CHECK(bytesOn(links, 1, 0, What::kActivationGradients) == 2 * boundary);
    CHECK(bytesOn(links, 0, 1, What::kActivationGradients) == boundary);
    CHECK(links.size() == 4);
    CHECK(cost.traffic[0].messages == 3 * 4);
    CHECK(cost.traffic[0].activations == 3 * boundary);
    // Losses and numbers of correct predictions of 32 samples; each of two ranks sends half of them.
    CHECK(cost.traffic[1].rest == 2 * 32 * 4 / 2);
    CHECK(cost.traffic[1].collectives == 1);
    subject.config.training.accumulateSteps = 3;
    const StrategyCost thrice = costWith(subject);
    CHECK(thrice.traffic[0].messages == 3 * 12);
    CHECK(thrice.traffic[0].activations == 3 * 3 * boundary);
    CHECK(thrice.traffic[0].rest == 3 * 128);
    CHECK(thrice.traffic[0].collectives == 3);
}

TEST_CASE("collectives are counted for each bucket and for each gathered tensor") {
    PlanSubject subject = perceptron(2, {16}, StrategyKind::kDdp);
    CHECK(costWith(subject).traffic[0].collectives == 1);
    CHECK(costWith(subject).traffic[0].rest == 0);
    subject.config.parallel.worldSize = 1;
    CHECK(costWith(subject).traffic[0] == StepTraffic{});
    subject = perceptron(2, {16}, StrategyKind::kFsdp);
    CHECK(costWith(subject).traffic[0].collectives == 4 * (2 + 1));  // two gathers and a scatter of each tensor
    subject.config.training.accumulateSteps = 2;
    const StrategyCost twice = costWith(subject);
    CHECK(twice.traffic[0].collectives == 4 * (4 + 1));
    CHECK(twice.traffic[0].parameters == 4 * 4 * (512 + 8 + 80 + 5));
    subject.config.fsdp.shard = ShardedState::kGradients;  // parameters are gathered once
    CHECK(costWith(subject).traffic[0].collectives == 4 * (1 + 1));
    CHECK(costWith(subject).traffic[0].parameters == 4 * (512 + 8 + 80 + 5));
    subject.config.optimizer.clipGradNorm = 1;
    CHECK(costWith(subject).traffic[0].collectives == 4 * (1 + 1) + 1);
    CHECK(costWith(subject).traffic[0].rest > 0);
}

TEST_CASE("throttled rates are those of the slower of machine and throttle") {
    const MachineRates machine{.flopsPerSecond = 2e9, .bytesPerSecond = 1e9, .secondsPerCollective = 1e-5};
    const MachineRates same = throttledRates(machine, {}, 6);
    CHECK((same.flopsPerSecond == 2e9 && same.bytesPerSecond == 1e9 && same.secondsPerCollective == 1e-5));
    const MachineRates slow = throttledRates(machine, {.gflops = 0.5, .gbitPerSecond = 4, .latencyUs = 100}, 6);
    CHECK((slow.flopsPerSecond == 5e8 && slow.bytesPerSecond == 5e8));
    CHECK(slow.secondsPerCollective == Approx(1e-5 + 6e-4));
    const MachineRates fast = throttledRates(machine, {.gflops = 3, .gbitPerSecond = 9}, 6);
    CHECK((fast.flopsPerSecond == 2e9 && fast.bytesPerSecond == 1e9));
}

TEST_CASE("the limit of a step is its largest part") {
    CHECK(StepTime{.arithmetic = 4, .idle = 3, .crowded = 2, .links = 1}.limit() == StepLimit::kArithmetic);
    CHECK(StepTime{.arithmetic = 1, .idle = 4, .crowded = 2, .links = 3}.limit() == StepLimit::kIdleRanks);
    CHECK(StepTime{.arithmetic = 1, .idle = 2, .crowded = 4, .links = 3}.limit() == StepLimit::kProcessors);
    CHECK(StepTime{.arithmetic = 1, .idle = 2, .crowded = 3, .links = 4}.limit() == StepLimit::kLinks);
    CHECK(limitText(StepLimit::kArithmetic) == "arithmetic");
    CHECK(limitText(StepLimit::kIdleRanks) == "idle ranks");
    CHECK(limitText(StepLimit::kProcessors) == "too few processors");
    CHECK(limitText(StepLimit::kLinks) == "the links");
}

TEST_CASE("a step computes three times its forward pass, and messages delay stages") {
    PlanSubject subject = perceptron(2, {}, StrategyKind::kDdp);
    subject.config.training.accumulateSteps = 2;
    const StrategyCost cost = costWith(subject);
    CHECK(stepFlops(subject, cost.plan) == 3.0 * 2 * 64 * 10 * 32 * 2);
    // Two stages of 2 * 64 * 64 + 64 and 2 * 64 * 10 operations, one micro-batch, and messages of 1 s and 32 * 64 * 4
    // bytes at 8,192 bytes a second: forward, message, forward and backward, message, backward.
    subject = perceptron(2, {64}, StrategyKind::kModelParallel);
    const MachineRates slow{
        .flopsPerSecond = 32 * 1280, .bytesPerSecond = 8192, .secondsPerCollective = 1, .processors = 2};
    const StepTime time = costWith(subject, slow).time;
    const double first = (2.0 * 64 * 64 + 64) / 1280;
    CHECK(time.arithmetic == Approx(3 * (first + 1) / 2));
    CHECK(time.idle == Approx(3 * (first + 1) / 2 + 2 * (1 + 1)));
    CHECK(time.crowded == 0);
}

TEST_CASE("the first of several devices sends parameters and receives gradients") {
    PlanSubject subject = perceptron(4, {}, StrategyKind::kDataParallel);
    const MachineRates rates{
        .flopsPerSecond = 1e30, .bytesPerSecond = 1000, .secondsPerCollective = 0, .processors = 4};
    CHECK(costWith(subject, rates).time.links == Approx(2 * 650 * 4 * 3 / 1000.0));
}

// 64-64-10: units of 64 * 64 + 64 and 640 + 10 values, of which each of two ranks stores half. A unit is gathered in
// half the time of its forward pass.
TEST_CASE("units are gathered before their passes and freed after them") {
    PlanSubject subject = perceptron(2, {64}, StrategyKind::kFsdp);
    subject.config.fsdp.prefetch = Prefetch::kNone;
    const std::int64_t first = 4 * (4096 + 64);
    const std::int64_t second = 4 * (640 + 10);
    const StrategyCost cost = costWith(subject);
    const std::int64_t all = cost.memory[0].activations;
    // Activations of the second unit: its output of 32 x 10 values and the gradient by its input, 32 x 64.
    const MemoryCurve curve = memoryOverStep(subject, cost.plan, 0);
    const std::int64_t one = curve.moments.at(1).inUse.activations;
    CHECK((one > 0 && one < all));
    checkCurve(subject, 9.5,
               {{0, first, 0},           // the first unit is gathered
                {0.5, first, one},       // forward
                {1.5, second, one},      // the first is freed, the second gathered
                {2, second, all},        // forward
                {3, second, all},        // freed, and gathered for the backward pass
                {3.5, 2 * second, all},  // the complete gradients of the second unit exist
                {5.5, second, one},      // parameters are freed, gradients are scattered
                {6, first, one},
                {6.5, 2 * first, one},
                {8.5, first, 0},
                {9, 0, 0}});
    // With prefetching the next unit is gathered while one computes.
    subject.config.fsdp.prefetch = Prefetch::kNext;
    checkCurve(subject, 8.5,
               {{0, first, 0},
                {0.5, first + second, one},
                {1.5, second, all},
                {2.5, second, all},
                {3, first + 2 * second, all},
                {5, first + second, one},
                {5.5, 2 * first, one},
                {7.5, first, 0},
                {8, 0, 0}});
}

TEST_CASE("accumulated gradients keep separate memory while they are scattered") {
    PlanSubject subject = perceptron(2, {64}, StrategyKind::kFsdp);
    subject.config.fsdp.prefetch = Prefetch::kNone;
    subject.config.training.accumulateSteps = 2;
    const StrategyCost cost = costWith(subject);
    const MemoryCurve curve = memoryOverStep(subject, cost.plan, 0);
    // The shard of the second unit's gradients is a part of its whole gradients: half of them is needed in addition.
    CHECK(curve.moments.at(5).at == Approx(3.5));
    CHECK(curve.moments.at(5).inUse.gathered == 4 * 650 + 4 * 650 / 2);
    // The whole model at once: 2 * (first + second) / 2 while gradients are scattered.
    subject.config.training.accumulateSteps = 1;
    subject.config.fsdp.unit = ShardUnit::kWhole;
    checkCurve(subject, 5,
               {{0, 4 * 4810 / 2, 0},
                {0.5, 4 * 4810 / 2, costWith(subject).memory[0].activations},
                {1.5, 4 * 4810 / 2, costWith(subject).memory[0].activations},
                {2, 4 * 4810, costWith(subject).memory[0].activations},
                {4, 4 * 4810 / 2, 0},
                {4.5, 0, 0}});
}

TEST_CASE("each choice of a strategy is described by its ranks, stages and micro-batches") {
    const auto optionsOf = [](const PlanSubject& subject, const std::string& name) {
        for (const StrategyChoice& one : strategyChoices(subject, {}))
            if (one.name == name) return one.options;
        return std::string("missing");
    };
    PlanSubject subject = perceptron(4, {16, 16, 16, 16, 16, 16, 16}, StrategyKind::kDdp);
    CHECK(optionsOf(subject, "ddp") == "4 replicas");
    CHECK(optionsOf(subject, "data_parallel") == "4 devices, one process");
    CHECK(optionsOf(subject, "fsdp:gradients") == "over 4 ranks, by block");
    CHECK(optionsOf(subject, "hsdp") == "2 replicas over 2 ranks, parameters, by block");
    CHECK(optionsOf(subject, "model_parallel") == "4 stages");
    CHECK(optionsOf(subject, "pipeline:1f1b") == "4 stages, 4 micro-batches");
    CHECK(optionsOf(subject, "pipeline:interleaved") == "8 stages, 4 micro-batches");
    CHECK(optionsOf(subject, "replicas_of_pipelines") == "2 replicas of 2 stages, 4 micro-batches, 1f1b");
    CHECK(strategyChoices(subject, {}).size() == 12);
    // Two halves need an even number of ranks from four on.
    for (const std::int64_t ranks : {2, 3, 5}) {
        subject.config.parallel.worldSize = ranks;
        CHECK(strategyChoices(subject, {}).size() == 10);
    }
    // The divisors 5 and 3 of 30 are equally near 4, but 1f1b on 4 ranks needs at least 4 micro-batches.
    subject.config.parallel.worldSize = 2;
    subject.config.loader.batchSize = 30;
    CHECK(optionsOf(subject, "pipeline:1f1b") == "2 stages, 5 micro-batches");
    subject.config.loader.batchSize = 7;
    CHECK(optionsOf(subject, "pipeline:gpipe") == "2 stages, 7 micro-batches");
    subject.config.loader.batchSize = 9;
    CHECK(optionsOf(subject, "pipeline:gpipe") == "2 stages, 3 micro-batches");
    // The settings of a pipeline of its own are dropped for other strategies.
    subject.config.pipeline.split = {1, 1};
    subject.config.pipeline.stagesPerRank = 3;
    for (const StrategyChoice& one : strategyChoices(subject, {}))
        if (one.name == "model_parallel")
            CHECK((one.config.pipeline.split.empty() && one.config.pipeline.stagesPerRank == 1));
}
