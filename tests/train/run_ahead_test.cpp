// SPDX-License-Identifier: Apache-2.0
// Tests for devices that work asynchronously: the host launches a step before it reads the results of the previous
// step.
#include <cmath>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

#include "base/errors/errors.h"
#include "comm/in_process_store.h"
#include "config/leaves.h"
#include "data/sets/common/memory_dataset.h"
#include "support/catch.h"
#include "support/choices.h"
#include "support/sha256_of.h"
#include "support/temporary_directory.h"
#include "train/replay.h"
#include "train/strategy_runs.h"
#include "train/training_run.h"

using namespace ringside;
using namespace ringside::test;

namespace {

struct Ahead {
    std::vector<RankReport> ranks;
    std::vector<std::shared_ptr<LoggedGpu>> gpus;
};

// Trains on fake GPUs. Ranks of DDP record their collectives with the step; ranks of other strategies use NCCL.
Ahead trainAhead(const RunConfig& config, const DataSplit& data, RunOptions options = {}) {
    Ahead result;
    std::mutex mutex;
    InProcessStore store;
    options.devices = [&](Communicator& inner) {
        auto tape = std::make_shared<Tape>();
        tape->gpu = std::make_shared<LoggedGpu>();
        {
            const std::lock_guard lock(mutex);
            result.gpus.push_back(tape->gpu);
        }
        if (config.parallel.strategy == StrategyKind::kDdp && !isCanonical(config))
            return RankParts{makeReplayBackend(tape), makeReplayCommunicator(tape, inner)};
        NcclOptions nccl;
        nccl.computeStream = tape->gpu->computeStream();
        nccl.hostWaits = false;
        NcclDependencies parts{std::make_shared<ThreadedNccl>(tape->gpu, inner), tape->gpu,
                               std::make_shared<testing::FakeClock>()};
        return RankParts{makeReplayBackend(tape),
                         std::make_unique<NcclCommunicator>(std::move(parts), store, inner.rank(), inner.size(), nccl)};
    };
    result.ranks = trainAsThreads(config, data, options);
    return result;
}

Ahead trainAhead(const RunConfig& config, const RunOptions& options = {}) {
    return trainAhead(config, loadDataset(config.dataset).value(), options);
}

// Returns an experiment with one epoch of 20 steps.
RunConfig experiment(std::int64_t worldSize) {
    RunConfig config;
    config.dataset.kind = DatasetKind::kSynthetic;
    config.dataset.shape = SyntheticShape::kBlobs;
    config.dataset.size = worldSize * 200;
    config.dataset.validationFraction = 0.2;
    config.model.hidden = {13};
    config.loader.batchSize = 8;
    config.parallel.worldSize = worldSize;
    config.parallel.firstBucketMb = 0.0001;  // so small that there are several buckets
    config.training.epochs = 1;
    config.telemetry.trace = TraceLevel::kOff;
    return config;
}

std::vector<double> lossesOf(const RankReport& rank) {
    std::vector<double> all;
    for (const StepRecord& step : rank.steps) all.push_back(step.loss);
    return all;
}

std::vector<std::int64_t> stepsOf(const RankReport& rank) {
    std::vector<std::int64_t> all;
    for (const StepRecord& step : rank.steps) all.push_back(step.step);
    return all;
}

std::vector<std::int64_t> countingTo(std::int64_t last) {
    std::vector<std::int64_t> all;
    for (std::int64_t step = 1; step <= last; ++step) all.push_back(step);
    return all;
}

// Returns the lines of the log from the first launched step to the last poll of its results.
std::vector<std::string> stepLines(const LoggedGpu& gpu) {
    const auto isStep = [](const std::string& line) { return line != "drain"; };
    const auto first = std::ranges::find_if(gpu.log, isStep);
    const auto last = std::find_if(gpu.log.rbegin(), gpu.log.rend(), isStep).base();
    return {first, last};
}

// Returns the log of a rank that launches each of `steps` steps before it waits for the previous one.
std::vector<std::string> alwaysAhead(int steps) {
    std::vector<std::string> lines{"record 1"};
    for (int step = 2; step <= steps; ++step) {
        lines.push_back("record " + std::to_string(2 - step % 2));
        lines.push_back("poll " + std::to_string(1 + step % 2));
    }
    lines.push_back("poll " + std::to_string(2 - steps % 2));
    return lines;
}

struct Named {
    std::string name;
    RunConfig config;
};

// Experiments of 20 steps under each strategy that is not DDP with single batches.
std::vector<Named> strategies() {
    std::vector<Named> all;
    for (const char* shard : {"optimizer", "gradients", "parameters"})
        all.push_back({std::string("fsdp ") + shard, sharded(experiment(2), shard, "layer")});
    RunConfig hsdp = sharded(experiment(4), "parameters", "layer");
    hsdp.mesh.replicate = 2;
    all.push_back({"hsdp", hsdp});
    for (const char* schedule : {"gpipe", "1f1b", "interleaved", "zero_bubble"}) {
        RunConfig config = experiment(2);
        config.model.hidden = {13, 9, 11};
        config.dataset.size = 200;
        all.push_back({schedule, pipelined(config, schedule, 4, std::string(schedule) == "interleaved" ? 2 : 1)});
    }
    RunConfig stages = pipelined(experiment(4), "1f1b", 2);
    stages.mesh.shard = 2;
    stages.dataset.size = 400;
    all.push_back({"sharded stages", stages});
    for (const bool isSharded : {false, true}) {
        RunConfig config = accumulating(experiment(2), 4);
        config.dataset.size = 1600;
        if (isSharded) config = sharded(config, "parameters", "layer");
        all.push_back({isSharded ? "accumulation with fsdp" : "accumulation", config});
    }
    RunConfig canonical = experiment(2);
    canonical.training.reduction = ReductionOrder::kCanonical;
    all.push_back({"canonical", canonical});
    return all;
}

std::string weightsIn(const TemporaryDirectory& directory, const RankReport& rank) {
    return readFile(directory.path() / rank.all<CheckpointSaved>().back().path / "model.safetensors", 1 << 24).value();
}

}  // namespace

// A step ends with the record of the event of its result slot. The two slots are used alternately.
TEST_CASE("each step of an epoch is launched before the host waits for the step before it") {
    const std::int64_t worldSize = GENERATE(1, 2);
    const Ahead run = trainAhead(experiment(worldSize));
    for (const auto& gpu : run.gpus) CHECK(stepLines(*gpu) == alwaysAhead(20));
    for (const RankReport& rank : run.ranks) CHECK(stepsOf(rank) == countingTo(20));
}

TEST_CASE("each step of every strategy is launched before the host waits for the step before it") {
    for (const Named& one : strategies()) {
        CAPTURE(one.name);
        for (const double clipNorm : {0.0, 0.5}) {
            RunConfig config = one.config;
            config.optimizer.clipGradNorm = clipNorm;
            REQUIRE(config.validateForTraining().empty());
            const Ahead run = trainAhead(config);
            for (const auto& gpu : run.gpus) CHECK(stepLines(*gpu) == alwaysAhead(20));
            for (const RankReport& rank : run.ranks) CHECK(stepsOf(rank) == countingTo(20));
        }
    }
}

TEST_CASE("hosts that run ahead train and report the same as CPU ranks under every strategy") {
    for (const Named& one : strategies()) {
        CAPTURE(one.name);
        RunConfig config = one.config;
        config.training.epochs = 2;
        config.optimizer.clipGradNorm = 0.5;
        const TemporaryDirectory own;
        const TemporaryDirectory expected;
        const Ahead run = trainAhead(config, {.runDirectory = own.path(), .stopAfter = {}});
        const std::vector<RankReport> plain =
            trainAsThreads(config, {.runDirectory = expected.path(), .stopAfter = {}});
        CHECK(sha256Of(weightsIn(own, run.ranks[0])) == sha256Of(weightsIn(expected, plain[0])));
        for (const char* split : {"train", "val"})
            CHECK(run.ranks[0].results(split).back().loss == plain[0].results(split).back().loss);
        for (std::size_t rank = 0; rank < plain.size(); ++rank) {
            CHECK(lossesOf(run.ranks[rank]) == lossesOf(plain[rank]));
            REQUIRE(run.ranks[rank].steps.size() == plain[rank].steps.size());
            for (std::size_t i = 0; i < plain[rank].steps.size(); ++i) {
                CHECK(run.ranks[rank].steps[i].correct == plain[rank].steps[i].correct);
                if (rank == 0) CHECK(run.ranks[0].steps[i].gradientNorm == plain[0].steps[i].gradientNorm);
            }
        }
    }
}

TEST_CASE("hosts that run ahead train a transformer with dropout as CPU ranks do") {
    const TemporaryDirectory data;
    for (const bool isPipeline : {false, true}) {
        CAPTURE(isPipeline);
        RunConfig config = text(2, 8, data.path());
        config.telemetry.trace = TraceLevel::kOff;
        config = isPipeline ? pipelined(config, "1f1b", 2) : sharded(config, "parameters", "block");
        const TemporaryDirectory own;
        const TemporaryDirectory expected;
        const Ahead run = trainAhead(config, {.runDirectory = own.path(), .stopAfter = {}});
        const std::vector<RankReport> plain =
            trainAsThreads(config, {.runDirectory = expected.path(), .stopAfter = {}});
        CHECK(sha256Of(weightsIn(own, run.ranks[0])) == sha256Of(weightsIn(expected, plain[0])));
        CHECK(lossesOf(run.ranks[1]) == lossesOf(plain[1]));
    }
}

// The steps are the same as under DDP: the command arrives with the report of step 5, is transferred with step 7 and
// executed after step 8.
TEST_CASE("stop, pause and checkpoint take effect after the same step on all ranks under every strategy") {
    for (const Named& one : strategies()) {
        CAPTURE(one.name);
        const TemporaryDirectory directory;
        const Ahead stopped =
            trainAhead(one.config, {.runDirectory = {}, .stopAfter = [](std::int64_t step) { return step == 5; }});
        for (const RankReport& rank : stopped.ranks) {
            CHECK(rank.outcome == TrainOutcome::kStopped);
            CHECK(stepsOf(rank) == countingTo(8));
        }
        const Ahead paused =
            trainAhead(one.config, {.runDirectory = directory.path(),
                                    .stopAfter = {},
                                    .commandsAfter = {{5, {{ControlKind::kCheckpoint}, {ControlKind::kPause}}}},
                                    .commandsWhilePaused = {{ControlKind::kStep, 1}, {ControlKind::kResume}}});
        CHECK(paused.ranks[0].all<CheckpointSaved>().front().step == 8);
        std::vector<std::int64_t> pausedAt;
        for (const Controlled& control : paused.ranks[0].all<Controlled>())
            if (control.command == ControlKind::kPause) pausedAt.push_back(control.step);
        CHECK(pausedAt == std::vector<std::int64_t>{8, 9});
        for (const RankReport& rank : paused.ranks) CHECK(stepsOf(rank) == countingTo(20));
    }
}

TEST_CASE("a host that runs ahead reports and trains the same as one that waits for each step") {
    RunConfig config = experiment(GENERATE(1, 2));
    config.training.epochs = 3;
    config.optimizer.clipGradNorm = GENERATE(0.0, 0.5);
    config.schedule.kind = RateScheduleKind::kCosine;
    config.training.maxSteps = GENERATE(0, 33);
    const Ahead run = trainAhead(config);
    const std::vector<RankReport> plain = trainAsThreads(config);
    REQUIRE(run.ranks.size() == plain.size());
    for (const char* split : {"train", "val"})
        CHECK(run.ranks[0].results(split).back().loss == plain[0].results(split).back().loss);
    for (std::size_t rank = 0; rank < plain.size(); ++rank) {
        CHECK(run.ranks[rank].parameters == plain[rank].parameters);
        CHECK(lossesOf(run.ranks[rank]) == lossesOf(plain[rank]));
        REQUIRE(run.ranks[rank].steps.size() == plain[rank].steps.size());
        for (std::size_t i = 0; i < plain[rank].steps.size(); ++i) {
            CHECK(run.ranks[rank].steps[i].correct == plain[rank].steps[i].correct);
            CHECK(run.ranks[rank].steps[i].learningRate == plain[rank].steps[i].learningRate);
            if (rank == 0) CHECK(run.ranks[0].steps[i].gradientNorm == plain[0].steps[i].gradientNorm);
        }
    }
}

// The command arrives with the report of step 5, when step 6 has been launched. Step 7 is the first one that transfers
// it. Its results are read after the launch of step 8, which is the last step on each rank.
TEST_CASE("a stop takes effect after the same step on all ranks that run ahead") {
    RunConfig config = experiment(2);
    const Ahead run =
        trainAhead(config, {.runDirectory = {}, .stopAfter = [](std::int64_t step) { return step == 5; }});
    config.training.maxSteps = 8;
    const std::vector<RankReport> plain = trainAsThreads(config);
    for (std::size_t rank = 0; rank < 2; ++rank) {
        CHECK(run.ranks[rank].outcome == TrainOutcome::kStopped);
        CHECK(stepsOf(run.ranks[rank]) == countingTo(8));
        CHECK(run.ranks[rank].parameters == plain[rank].parameters);
    }
}

TEST_CASE("a pause and single steps take effect at the same step on all ranks that run ahead") {
    const Ahead run =
        trainAhead(experiment(2),
                   {.runDirectory = {},
                    .stopAfter = {},
                    .commandsAfter = {{5, {{ControlKind::kPause}}}},
                    .commandsWhilePaused = {{ControlKind::kStep, 1}, {ControlKind::kStep, 2}, {ControlKind::kResume}}});
    std::vector<std::int64_t> pausedAt;
    for (const Controlled& one : run.ranks[0].all<Controlled>())
        if (one.command == ControlKind::kPause) pausedAt.push_back(one.step);
    CHECK(pausedAt == std::vector<std::int64_t>{8, 9, 11});
    for (const RankReport& rank : run.ranks) {
        CHECK(stepsOf(rank) == countingTo(20));
        CHECK(std::ranges::count(rank.states, RankStage::kPaused) == 3);
    }
    CHECK(run.ranks[0].parameters == trainAsThreads(experiment(2))[0].parameters);
}

TEST_CASE("a learning rate and a checkpoint by command take effect after the results of all launched steps") {
    const TemporaryDirectory directory;
    const Ahead run = trainAhead(
        experiment(2), {.runDirectory = directory.path(),
                        .stopAfter = {},
                        .commandsAfter = {{5, {{ControlKind::kLearningRate, 0.5}, {ControlKind::kCheckpoint}}}}});
    for (const RankReport& rank : run.ranks) {
        CHECK(rank.steps[7].learningRate == experiment(2).optimizer.lr);
        CHECK(rank.steps[8].learningRate == 0.5);
    }
    const auto saved = run.ranks[0].all<CheckpointSaved>();
    REQUIRE(saved.size() == 2);
    CHECK(saved.front().step == 8);
}

TEST_CASE("a loss that is not finite stops a host that runs ahead with the number of its step") {
    SampleTable table;
    table.size = 80;
    table.shape.features = 2;
    table.features.assign(160, 0.5F);
    table.features[2 * 43] = std::numeric_limits<float>::quiet_NaN();
    for (std::int32_t i = 0; i < 80; ++i) table.labels.push_back(i % 2);
    table.classNames = {"a", "b"};
    const DataSplit data{std::make_shared<MemoryDataset>(std::move(table)), nullptr, {}};
    RunConfig config = experiment(1);
    config.sampler.shuffle = false;
    CHECK_THROWS_WITH(trainAhead(config, data), containing("is not a number at step 6"));
    CHECK_THROWS_WITH(trainAhead(pipelined(config, "1f1b", 2), data), containing("is not a number at step 6"));
    config.loader.batchSize = 4;
    CHECK_THROWS_WITH(trainAhead(accumulating(config, 2), data), containing("is not a number at step 6"));
}

TEST_CASE("a traced step ends before the next one is launched") {
    RunConfig config = GENERATE(experiment(1), sharded(experiment(2), "parameters", "layer"));
    config.telemetry.trace = TraceLevel::kPhases;
    const Ahead run = trainAhead(config);
    CHECK(stepLines(*run.gpus.front())[1] == "poll 1");
    CHECK(run.ranks.front().traces.size() > 0);
}
