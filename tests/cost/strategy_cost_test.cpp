// SPDX-License-Identifier: Apache-2.0
// Tests of the predicted costs of strategies against closed formulas.
#include "cost/strategy_cost.h"

#include <map>

#include "base/system/files.h"
#include "cost/memory_limit.h"
#include "cost/memory_over_step.h"
#include "cost/step_links.h"
#include "cost/throttle_limit.h"
#include "data/sets/common/dataset.h"
#include "support/catch.h"
#include "support/choices.h"
#include "support/temporary_directory.h"

using namespace ringside;

namespace {

PlanSubject digits(std::int64_t ranks, std::vector<std::int64_t> hidden = {128}) {
    RunConfig config;
    config.model.hidden = std::move(hidden);
    config.parallel.worldSize = ranks;
    config.loader.batchSize = 32;
    return planSubject(config, loadDataset(config.dataset).value()).value();
}

StrategyCost priced(const PlanSubject& subject) {
    return ringside::costOf(subject, {}).value();
}

}  // namespace

// 64-128-10: 128 * 64 + 128 + 10 * 128 + 10 values, in lines of 64 bytes: 8192, 128, 1280, 16, and a line for the
// signal.
TEST_CASE("DDP sends twice its gradients' bytes, less the rank's own part") {
    const StrategyCost cost = priced(digits(4));
    const std::int64_t bytes = 4 * (8192 + 128 + 1280 + 16 + 16);
    CHECK(cost.largestTraffic() == 2 * bytes * 3 / 4);
    CHECK(cost.memory[3].parameters == 4 * (8192 + 128 + 1280 + 10));
    CHECK(cost.idleShare == 0);
}

TEST_CASE("FULL_SHARD sends three times its parameters' bytes, less the rank's own part") {
    PlanSubject subject = digits(2);
    subject.config.parallel.strategy = StrategyKind::kFsdp;
    const std::int64_t bytes = 4 * (8192 + 128 + 1280 + 10);
    CHECK(priced(subject).largestTraffic() == 3 * bytes / 2);
    for (const char* shard : {"optimizer", "gradients"}) {
        choose(subject.config.fsdp.shard, shard);
        CHECK(priced(subject).largestTraffic() == 2 * bytes / 2);
    }
}

TEST_CASE("a pipeline sends each boundary's activations once forward and once back") {
    PlanSubject subject = digits(2, {16, 16, 16});
    subject.config.parallel.strategy = StrategyKind::kPipeline;
    subject.config.pipeline.microBatches = 8;
    const StrategyCost cost = priced(subject);
    const std::int64_t boundary = 32 * cost.plan.layers[cost.plan.stageBegin[1]].input.count() * 4;
    CHECK(cost.traffic[0].activations == boundary);
    CHECK(cost.traffic[1].activations == boundary);
    CHECK(cost.traffic[0].messages == 8);
}

TEST_CASE("the bytes on a rank's links add up to the bytes that it sends, in every mesh") {
    PlanSubject subject = digits(4, {16, 16, 16});
    using Spread = std::pair<StrategyKind, MeshConfig>;
    const Spread hybrid{StrategyKind::kFsdp, {.replicate = 2, .shard = 2, .pipeline = 1}};
    const Spread replicas{StrategyKind::kPipeline, {.replicate = 2, .shard = 1, .pipeline = 2}};
    const Spread spread =
        GENERATE_COPY(Spread{StrategyKind::kDdp, {}}, Spread{StrategyKind::kFsdp, {}},
                      Spread{StrategyKind::kPipeline, {}}, Spread{StrategyKind::kModelParallel, {}}, hybrid, replicas);
    subject.config.parallel.strategy = spread.first;
    subject.config.mesh = spread.second;
    const StrategyCost cost = priced(subject);
    std::vector<std::int64_t> sent(4);
    for (const StepLink& one : stepLinks(subject, cost.plan)) sent[static_cast<std::size_t>(one.from)] += one.bytes;
    for (std::size_t rank = 0; rank < 4; ++rank)
        CHECK(sent[rank] == cost.traffic[rank].total() - cost.traffic[rank].rest);
}

// Ranks 0 and 1 have the first stage, 2 and 3 the second; a batch of 32 by the 16 values between them, 4 bytes each.
TEST_CASE("replicas of a pipeline send activations along it and gradients across it") {
    PlanSubject subject = digits(4, {16, 16, 16});
    subject.config.parallel.strategy = StrategyKind::kPipeline;
    subject.config.mesh = {.replicate = 2, .shard = 1, .pipeline = 2};
    const auto links = stepLinks(subject, priced(subject).plan);
    const auto has = [&](int from, int to, StepLink::What what, std::int64_t bytes) {
        return std::ranges::find(links, StepLink{from, to, what, bytes}) != links.end();
    };
    CHECK(has(0, 2, StepLink::What::kActivations, 32 * 16 * 4));
    CHECK(has(1, 3, StepLink::What::kActivations, 32 * 16 * 4));
    CHECK(has(2, 0, StepLink::What::kActivationGradients, 32 * 16 * 4));
    CHECK(links.size() == 8);
    CHECK(std::ranges::count(links, StepLink::What::kGradients, &StepLink::what) == 4);
}

// 1F1B: the first of P stages keeps P micro-batches, the last one; GPipe keeps all. Nothing is kept behind the step.
TEST_CASE("during a step a stage fills its activation memory and empties it again") {
    PlanSubject subject = digits(4, {16, 16, 16});
    subject.config.parallel.strategy = StrategyKind::kPipeline;
    subject.config.pipeline.microBatches = 8;
    choose(subject.config.pipeline.schedule, GENERATE("1f1b", "gpipe", "zero_bubble"));
    const StrategyCost cost = priced(subject);
    for (int rank = 0; rank < 4; ++rank) {
        const MemoryCurve curve = memoryOverStep(subject, cost.plan, rank);
        const PredictedMemory& taken = cost.memory[static_cast<std::size_t>(rank)];
        CHECK(curve.peakBytes() == Approx(static_cast<double>(taken.peak())).epsilon(0.01));
        CHECK(curve.peakBytes() <= taken.peak());
        CHECK(curve.moments.back().inUse.activations == 0);
        CHECK(curve.moments.back().at <= curve.end);
    }
}

TEST_CASE("a sharded model gathers no more than its buffers hold, and frees all of it") {
    PlanSubject subject = digits(2, {64, 64, 64, 64});
    subject.config.parallel.strategy = StrategyKind::kFsdp;
    choose(subject.config.fsdp.shard, GENERATE("parameters", "gradients", "optimizer"));
    choose(subject.config.fsdp.unit, GENERATE("layer", "whole"));
    const StrategyCost cost = priced(subject);
    const MemoryCurve curve = memoryOverStep(subject, cost.plan, 1);
    std::int64_t most = 0;
    for (const MemoryMoment& one : curve.moments) {
        most = std::max(most, one.inUse.gathered);
        CHECK(one.inUse.gathered >= 0);
        CHECK(one.inUse.activations >= 0);
    }
    CHECK(most <= cost.memory[1].gathered);
    // Tensors that are never sharded are not gathered units.
    CHECK((most > 0) == (subject.config.fsdp.shard != ShardedState::kOptimizer));
    CHECK(curve.moments.back().inUse.gathered == 0);
    CHECK(curve.moments.back().inUse.activations == 0);
}

// A complete copy of the model keeps the activations of every layer until the backward pass begins.
TEST_CASE("a complete copy uses the most memory after the forward pass, a third of the step") {
    const PlanSubject subject = digits(2);
    const StrategyCost cost = priced(subject);
    const MemoryCurve curve = memoryOverStep(subject, cost.plan, 0);
    CHECK(curve.peakBytes() == cost.memory[0].peak());
    CHECK(curve.end == Approx(3));
    CHECK(curve.peakTime() < 1);
    CHECK(curve.peakTime() >= 0.5);
}

TEST_CASE("idle shares equal the formulas of the schedules") {
    PlanSubject subject = digits(4, {16, 16, 16, 16, 16, 16, 16});
    subject.config.parallel.strategy = StrategyKind::kPipeline;
    subject.config.pipeline.microBatches = 8;
    const auto idleOf = [&](const char* schedule, std::int64_t stagesPerRank) {
        choose(subject.config.pipeline.schedule, schedule);
        subject.config.pipeline.stagesPerRank = stagesPerRank;
        return priced(subject).idleShare;
    };
    CHECK(idleOf("gpipe", 1) == Approx(3.0 / 11));
    CHECK(idleOf("1f1b", 1) == Approx(3.0 / 11));
    CHECK(idleOf("interleaved", 2) == Approx(3.0 / 19));
    CHECK(idleOf("zero_bubble", 1) == Approx(3.0 / 27));
    subject.config.parallel.strategy = StrategyKind::kModelParallel;
    CHECK(idleOf("gpipe", 1) == Approx(3.0 / 4));
}

TEST_CASE("with 1F1B later stages keep fewer activations") {
    PlanSubject subject = digits(4, {16, 16, 16, 16, 16, 16, 16});
    subject.config.parallel.strategy = StrategyKind::kPipeline;
    subject.config.pipeline.microBatches = 8;
    const StrategyCost cost = priced(subject);
    for (int rank = 0; rank < 4; ++rank)
        CHECK(activationsInFlight(cost.plan, rank) == static_cast<std::size_t>(4 - rank));
}

TEST_CASE("more stages than layers are a problem of the field that sets them") {
    PlanSubject subject = digits(4);  // three layers
    subject.config.parallel.strategy = StrategyKind::kPipeline;
    CHECK(planStrategy(subject).problem().field == "parallel.world_size");
    subject.config.mesh = {.replicate = 0, .shard = 0, .pipeline = 4};
    CHECK(planStrategy(subject).problem().text() ==
          "mesh.pipeline makes 4 stages, but the model can be cut into at most 3 parts: use at most 3 ranks in a "
          "pipeline or a model of "
          "more layers");
    subject.config.mesh.pipeline = 2;
    subject.config.pipeline.schedule = PipelineScheduleKind::kInterleaved;
    subject.config.pipeline.stagesPerRank = 2;
    CHECK(planStrategy(subject).problem().remedy ==
          "use at most 1 rank in a pipeline, fewer pipeline.stages_per_rank, or a model of more layers");
}

TEST_CASE("data_parallel with canonical batch norm statistics is refused before the start") {
    PlanSubject subject = digits(2);
    subject.config.model.kind = ModelKind::kResidualCnn;
    subject.config.model.width = 4;
    subject.model = describeModel(subject.config.model, *loadDataset(subject.config.dataset).value().training).value();
    subject.config.parallel.strategy = StrategyKind::kDataParallel;
    CHECK(planStrategy(subject).ok());
    subject.config.training.reduction = ReductionOrder::kCanonical;
    CHECK(planStrategy(subject).problem().field == "training.reduction");
}

TEST_CASE("every strategy is listed, and impossible ones have a reason") {
    PlanSubject subject = digits(4);
    const std::vector<StrategyChoice> choices = strategyChoices(subject, {});
    CHECK(choices.size() == 12);
    CHECK(choices[0].name == "ddp");
    CHECK(choices[0].whyNot.empty());
    const auto named = [&](const std::string& name) {
        return *std::ranges::find(choices, name, &StrategyChoice::name);
    };
    CHECK(named("fsdp:parameters").cost);
    CHECK(named("pipeline:gpipe").whyNot ==
          "parallel.world_size makes 4 stages, but the model can be cut into at most 3 parts: use at most 3 ranks in a "
          "pipeline "
          "(mesh.pipeline) or a model of more layers");
    CHECK(named("replicas_of_pipelines").whyNot.empty());
    CHECK(strategyName(named("hsdp").config) == "hsdp");
}

namespace {

const StrategyChoice& theCurrentOne(const std::vector<StrategyChoice>& choices) {
    REQUIRE(std::ranges::count(choices, true, &StrategyChoice::isCurrent) == 1);
    return *std::ranges::find(choices, true, &StrategyChoice::isCurrent);
}

// Checks that the choice that is marked as current equals the experiment, in configuration and cost, and returns it.
StrategyChoice checkCurrent(const PlanSubject& subject) {
    const std::vector<StrategyChoice> choices = strategyChoices(subject, {});
    const StrategyChoice current = theCurrentOne(choices);
    CHECK(std::ranges::count(choices, current.name, &StrategyChoice::name) == 1);
    CHECK(current.config == subject.config);
    REQUIRE(current.cost);
    const StrategyCost own = priced(subject);
    CHECK(current.cost->largestPeak() == own.largestPeak());
    CHECK(current.cost->largestTraffic() == own.largestTraffic());
    return current;
}

}  // namespace

// (P-1)/(M V + P-1) for interleaved with V stages on each rank, (P-1)/(3 M V + P-1) for the zero bubble schedule.
TEST_CASE("the current choice has the experiment's stages on each rank") {
    PlanSubject subject = digits(4, std::vector<std::int64_t>(15, 16));
    subject.config.parallel.strategy = StrategyKind::kPipeline;
    subject.config.pipeline = {.schedule = PipelineScheduleKind::kInterleaved, .microBatches = 8, .stagesPerRank = 4};
    const StrategyChoice interleaved = checkCurrent(subject);
    CHECK(interleaved.options == "16 stages, 8 micro-batches");
    CHECK(interleaved.cost->idleShare == Approx(3.0 / 35));
    subject.config.pipeline = {.schedule = PipelineScheduleKind::kZeroBubble, .microBatches = 8, .stagesPerRank = 2};
    CHECK(checkCurrent(subject).cost->idleShare == Approx(3.0 / 51));
}

TEST_CASE("the current choice of replicas of sharded groups has the experiment's level of sharding and mesh") {
    PlanSubject subject = digits(8);
    subject.config.parallel.strategy = StrategyKind::kFsdp;
    subject.config.mesh.replicate = 4;
    std::map<std::string, std::int64_t> peaks;
    for (const char* shard : {"optimizer", "gradients", "parameters"}) {
        choose(subject.config.fsdp.shard, shard);
        const StrategyChoice current = checkCurrent(subject);
        CHECK(current.name == "hsdp");
        CHECK(current.options == "4 replicas over 2 ranks, " + std::string(shard) + ", by block");
        peaks[shard] = current.cost->largestPeak();
    }
    CHECK(peaks["optimizer"] != peaks["parameters"]);
}

TEST_CASE("every kind of pipeline is a choice: sharded stages, replicas, a split and a custom schedule") {
    const TemporaryDirectory directory;
    PlanSubject subject = digits(4, {16, 16, 16});
    subject.config.parallel.strategy = StrategyKind::kPipeline;
    subject.config.mesh.shard = 2;
    const StrategyChoice sharded = checkCurrent(subject);
    CHECK(sharded.name == "sharded_stages");
    CHECK(sharded.options == "2 stages over 2 ranks each, 4 micro-batches, 1f1b");
    subject.config.mesh = {.replicate = 2};
    subject.config.pipeline.schedule = PipelineScheduleKind::kGpipe;
    CHECK(checkCurrent(subject).options == "2 replicas of 2 stages, 4 micro-batches, gpipe");
    subject.config.mesh = {};
    subject.config.pipeline.split = {2, 2, 2, 1};
    CHECK(checkCurrent(subject).name == "pipeline:gpipe");
    subject = digits(2, {16, 16, 16});
    subject.config.parallel.strategy = StrategyKind::kPipeline;
    subject.config.pipeline.microBatches = 2;
    subject.config.pipeline.scheduleFile = (directory.path() / "own.csv").string();
    writeFileAtomically(directory.path() / "own.csv", "0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n");
    CHECK(checkCurrent(subject).name == "own_schedule");
}

// 719 digits are the larger half of 1,437.
TEST_CASE("the samples of a step are those of all data-parallel ranks, at most the data set") {
    PlanSubject subject = digits(4, {16, 16, 16});
    const auto samplesOf = [&](const std::string& name) {
        const std::vector<StrategyChoice> choices = strategyChoices(subject, {});
        return std::ranges::find(choices, name, &StrategyChoice::name)->cost->samplesPerStep;
    };
    CHECK(samplesOf("ddp") == 128);
    CHECK(samplesOf("data_parallel") == 32);
    CHECK(samplesOf("hsdp") == 128);
    CHECK(samplesOf("pipeline:gpipe") == 32);
    CHECK(samplesOf("replicas_of_pipelines") == 64);
    subject.config.training.accumulateSteps = 3;
    CHECK(samplesOf("replicas_of_pipelines") == 192);
    subject.config.loader.batchSize = 1000;
    subject.config.pipeline.microBatches = 4;
    CHECK(samplesOf("replicas_of_pipelines") == 2 * 719);
    const StrategyCost cost = priced(digits(2));
    CHECK(cost.samplesPerSecond() == Approx(64 / cost.time.total()));
}

TEST_CASE("a strategy beyond the memory limit of a rank is impossible") {
    PlanSubject subject = digits(4, {256, 256, 256, 256, 256, 256});
    subject.config.optimizer.kind = OptimizerKind::kAdam;
    subject.config.parallel.memoryLimitMb = 3;
    const std::vector<StrategyChoice> choices = strategyChoices(subject, {});
    CHECK(choices[0].whyNot.find("MiB per rank; parallel.memory_limit_mb allows 3") != std::string::npos);
    const auto sharded = std::ranges::find(choices, "fsdp:parameters", &StrategyChoice::name);
    CHECK(sharded->whyNot.empty());
}

// 64 x 256 + 256, five times 256 x 256 + 256, 256 x 10 + 10: 348,170 values, four times with Adam: 5.31 MiB.
TEST_CASE("a rank beyond the memory limit is reported with its bytes and a strategy that fits") {
    PlanSubject subject = digits(4, {256, 256, 256, 256, 256, 256});
    subject.config.optimizer.kind = OptimizerKind::kAdam;
    const auto checked = [&](double limit) {
        subject.config.parallel.memoryLimitMb = limit;
        return checkMemoryLimit(subject, planStrategy(subject).value());
    };
    CHECK(checked(0).empty());
    CHECK(checked(7).empty());
    REQUIRE(checked(5.2).size() == 1);
    const Problem problem = checked(5.2).front();
    CHECK(problem.field == "parallel.memory_limit_mb");
    const std::int64_t peak = priced(subject).largestPeak();
    CHECK(problem.message == "is 5.2 MiB, but rank 0 needs " + mebibytesText(peak) + " MiB under ddp");
    CHECK(problem.remedy.find("raise the limit to " + mebibytesText(peak) +
                              ", or set parallel.strategy to fsdp, which needs ") == 0);
    // A quarter of the parameters does not fit either, so the remedy is a smaller batch.
    CHECK(checked(0.1).front().remedy.find("lower loader.batch_size") != std::string::npos);
    subject.config.parallel.strategy = StrategyKind::kFsdp;
    CHECK(checked(5.2).empty());
}

TEST_CASE("within 2 % of the limit the engine's count decides") {
    PlanSubject subject = digits(2, {256, 256});
    const double peak = static_cast<double>(priced(subject).largestPeak()) / (1 << 20);
    const auto checked = [&](double limit) {
        subject.config.parallel.memoryLimitMb = limit;
        return checkMemoryLimit(subject, planStrategy(subject).value());
    };
    CHECK(checked(peak / 1.019).empty());
    CHECK(checked(peak / 1.021).size() == 1);
}

// Parameters and gradients alone are 2.66 MiB.
TEST_CASE("the memory limit applies to the first device of data_parallel; other strategies count a rank per device") {
    PlanSubject subject = digits(4, {256, 256, 256, 256, 256, 256});
    subject.config.parallel.strategy = StrategyKind::kDataParallel;
    subject.config.parallel.memoryLimitMb = 2.6;
    const Problem problem = checkMemoryLimit(subject, planStrategy(subject).value()).front();
    CHECK(problem.message.find("is 2.6 MiB, but device 0 needs ") == 0);
    CHECK(problem.remedy.find("set parallel.strategy to fsdp, which needs") != std::string::npos);
    subject.config.parallel.worldSize = 1;
    subject.config.parallel.devices = 4;
    const Problem alone = checkMemoryLimit(subject, planStrategy(subject).value()).front();
    CHECK(alone.remedy.find("set parallel.strategy to fsdp, parallel.world_size to 4, which needs") !=
          std::string::npos);
}

TEST_CASE("MiB are rounded up, so that a limit of them is enough") {
    CHECK(mebibytesText(5 << 20) == "5.0");
    CHECK(mebibytesText((5 << 20) + 1) == "5.1");
    CHECK(mebibytesText(1 << 19) == "0.500");
    CHECK(mebibytesText(1) == "0.001");
    CHECK(mebibytesText((1 << 20) - 1) == "1.000");
}

TEST_CASE("the time of a step follows from the rates, with its limiting part") {
    PlanSubject subject = digits(4, {256, 256, 256, 256, 256, 256});
    const MachineRates fast{.flopsPerSecond = 1e9, .bytesPerSecond = 1e15, .secondsPerCollective = 0, .processors = 4};
    const StrategyCost ddp = ringside::costOf(subject, fast).value();
    // Three passes of two operations for each weight, a ReLU for each value.
    const double flops = 3 * 32 * (2.0 * (64 * 256 + 5 * 256 * 256 + 256 * 10) + 6 * 256);
    CHECK(ddp.time.total() == Approx(flops / 1e9).epsilon(1e-6));
    CHECK(ddp.time.limit() == StepLimit::kArithmetic);
    MachineRates crowded = fast;
    crowded.processors = 1;
    const StrategyCost slow = ringside::costOf(subject, crowded).value();
    CHECK(slow.time.total() == Approx(4 * flops / 1e9).epsilon(1e-6));
    CHECK(slow.time.limit() == StepLimit::kProcessors);
    MachineRates slowLinks = fast;
    slowLinks.bytesPerSecond = 1e6;
    CHECK(ringside::costOf(subject, slowLinks).value().time.limit() == StepLimit::kLinks);
    subject.config.parallel.strategy = StrategyKind::kModelParallel;
    CHECK(ringside::costOf(subject, fast).value().time.limit() == StepLimit::kIdleRanks);
}

TEST_CASE("throttled ranks take as long as the emulated device and link, and use no processor while sleeping") {
    PlanSubject subject = digits(4, {256, 256, 256, 256, 256, 256});
    const MachineRates fast{.flopsPerSecond = 1e9, .bytesPerSecond = 1e15, .secondsPerCollective = 0, .processors = 1};
    const double flops = 3 * 32 * (2.0 * (64 * 256 + 5 * 256 * 256 + 256 * 10) + 6 * 256);
    subject.config.parallel.throttle.gflops = 0.1;
    const StrategyCost device = ringside::costOf(subject, fast).value();
    CHECK(device.time.total() == Approx(flops / 1e8).epsilon(1e-6));
    CHECK(device.time.limit() == StepLimit::kArithmetic);
    // Four ranks on one processor compute for longer than each rank's pace.
    subject.config.parallel.throttle.gflops = 0.5;
    CHECK(ringside::costOf(subject, fast).value().time.total() == Approx(4 * flops / 1e9).epsilon(1e-6));
    subject.config.parallel.throttle.gflops = 2;  // faster than the machine
    CHECK(ringside::costOf(subject, fast).value().time.total() == Approx(4 * flops / 1e9).epsilon(1e-6));
    subject.config.parallel.throttle = {.gbitPerSecond = 0.008, .latencyUs = 1000};
    const StrategyCost link = ringside::costOf(subject, fast).value();
    const StepTraffic& most = link.traffic[0];  // all-reduces of four ranks: six rounds each
    CHECK(link.time.links ==
          Approx(static_cast<double>(most.total()) / 1e6 + most.collectives * 6 * 1e-3).epsilon(1e-6));
}

TEST_CASE("a custom schedule is read, checked against the pipeline and planned") {
    const TemporaryDirectory directory;
    const auto file = directory.path() / "own.csv";
    PlanSubject subject = digits(2, {16, 16, 16});
    subject.config.parallel.strategy = StrategyKind::kPipeline;
    subject.config.pipeline.microBatches = 2;
    subject.config.pipeline.scheduleFile = file.string();
    const auto problemOf = [&](const std::string& text) {
        writeFileAtomically(file, text);
        const Result<StrategyPlan> plan = planStrategy(subject);
        return plan ? std::string() : plan.problem().text();
    };
    CHECK(problemOf("0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n").empty());
    CHECK(planStrategy(subject).value().schedule.ranks[1][1].text() == "1B0");
    CHECK(problemOf("0F0,0F1,0B1,0B0\n1F0,1F1,1B1,1B0\n") ==
          "pipeline.schedule_file runs the action 0B1 too early: each stage adds its gradients in the order of the "
          "micro-batches: order "
          "the backward actions of each stage by micro-batch");
    CHECK(problemOf("0F0,0B0\n1F0,1B0\n") ==
          "pipeline.schedule_file contains a schedule for 1 micro-batches, but pipeline.micro_batches is 2: set "
          "pipeline.micro_batches "
          "to 1");
    CHECK(problemOf("0F0,0F1,0B0,0B1\n1F0,1F1,1B0,1B1\n2F0,2F1,2B0,2B1\n")
              .find("contains a schedule for 3 ranks, but the pipeline has 2") != std::string::npos);
    CHECK(problemOf("0F0,0F1,0B0\n1F0,1F1,1B0,1B1\n")
              .starts_with("pipeline.schedule_file contains a schedule that cannot be run: "));
    CHECK(problemOf("0F0,what\n").starts_with("pipeline.schedule_file does not contain a valid schedule: "));
    subject.config.pipeline.scheduleFile = (directory.path() / "none.csv").string();
    CHECK(planStrategy(subject).problem().text().starts_with("pipeline.schedule_file cannot be read: "));
}

// The second of two stages is larger and never waits: forward F0, M times (F1 + 2 F1), back 2 F0.
TEST_CASE("unequal stages idle longer than the formula") {
    PlanSubject subject = digits(2, {256, 256});
    subject.config.parallel.strategy = StrategyKind::kPipeline;
    subject.config.pipeline.microBatches = 8;
    subject.config.pipeline.split = {2, 3};  // digits are flattened as they come
    const MachineRates free{.bytesPerSecond = 1e18, .secondsPerCollective = 0, .processors = 2};
    const StrategyCost cost = ringside::costOf(subject, free).value();
    const double first = 2.0 * 64 * 256 + 256;
    const double second = 2.0 * (256 * 256 + 256 * 10) + 256;
    CHECK(cost.time.idleShare() == Approx(1 - 8 * (first + second) / (2 * (first + 8 * second))).epsilon(1e-6));
    CHECK(cost.idleShare == Approx(1.0 / 9));
    // One processor computes for 24 (F0 + F1). Ranks that wait for it are in a pass: they idle as long as before.
    MachineRates crowded = free;
    crowded.processors = 1;
    CHECK(ringside::costOf(subject, crowded).value().time.idleShare() ==
          Approx((12 * second - 9 * first) / (24 * (first + second))).epsilon(1e-6));
}

// 64-128-10: 2 (64 * 128 + 128 * 10) + 128 = 19,072 FLOPs forward and 38,144 backward a sample, 9,610 parameters.
TEST_CASE("a throttle with which ranks would count as hung is refused before the start") {
    PlanSubject subject = digits(4);
    subject.config.parallel.timeoutSeconds = 30;
    CHECK(checkThrottleLimit(subject).empty());
    subject.config.parallel.throttle.gflops = 32 * 38'144 / 14.9e9;
    CHECK(checkThrottleLimit(subject).empty());
    subject.config.parallel.throttle.gflops = 0.00001;  // 32 * 38,144 / 10,000 = 122 s
    const Problems slow = checkThrottleLimit(subject);
    REQUIRE(slow.size() == 1);
    CHECK(slow.front().field == "parallel.pace.gflops");
    CHECK(slow.front().message.starts_with("makes a backward pass last 122 s"));
    CHECK(slow.front().message.ends_with("the maximum is 15 s, half of parallel.timeout_seconds"));
    subject.config.parallel.throttle = {.latencyUs = 2'600'000};  // 6 rounds of 2.6 s
    CHECK(checkThrottleLimit(subject).front().field == "parallel.pace.gbit_per_s");
    subject.config.parallel.throttle = {.gbitPerSecond = 1e-6};  // 6 rounds of 8 * 4 * 9,610 / 4 bits at 1,000 bits/s
    CHECK(checkThrottleLimit(subject).front().message.starts_with("makes the gradients' all-reduce last 461 s"));
    subject.config.parallel.worldSize = 1;  // nothing moves
    CHECK(checkThrottleLimit(subject).empty());
}
