// SPDX-License-Identifier: Apache-2.0
// On devices that work beside the host, the host launches a step before it reads the results of the step before it.
#include <cmath>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

#include "base/errors/errors.h"
#include "data/sets/common/memory_dataset.h"
#include "support/catch.h"
#include "support/choices.h"
#include "support/temporary_directory.h"
#include "train/replay.h"
#include "train/training_run.h"

using namespace ringside;
using namespace ringside::test;

namespace {

struct Ahead {
    std::vector<RankReport> ranks;
    std::vector<std::shared_ptr<LoggedGpu>> gpus;
};

Ahead trainAhead(const RunConfig& config, const DataSplit& data, RunOptions options = {}) {
    Ahead result;
    std::mutex mutex;
    options.devices = [&](Communicator& inner) {
        auto tape = std::make_shared<Tape>();
        tape->gpu = std::make_shared<LoggedGpu>();
        {
            const std::lock_guard lock(mutex);
            result.gpus.push_back(tape->gpu);
        }
        return RankParts{makeReplayBackend(tape), makeReplayCommunicator(tape, inner)};
    };
    result.ranks = trainAsThreads(config, data, options);
    return result;
}

Ahead trainAhead(const RunConfig& config, const RunOptions& options = {}) {
    return trainAhead(config, loadDataset(config.dataset).value(), options);
}

// 20 steps per epoch.
RunConfig experiment(std::int64_t worldSize) {
    RunConfig config;
    config.dataset.kind = DatasetKind::kSynthetic;
    config.dataset.shape = SyntheticShape::kBlobs;
    config.dataset.size = worldSize * 200;
    config.dataset.validationFraction = 0.2;
    config.model.hidden = {13};
    config.loader.batchSize = 8;
    config.parallel.worldSize = worldSize;
    config.parallel.firstBucketMb = 0.0001;  // several buckets
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

// Lines of the log from the first launched step to the last poll of its results.
std::vector<std::string> stepLines(const LoggedGpu& gpu) {
    const auto isStep = [](const std::string& line) { return line != "drain"; };
    const auto first = std::ranges::find_if(gpu.log, isStep);
    const auto last = std::find_if(gpu.log.rbegin(), gpu.log.rend(), isStep).base();
    return {first, last};
}

}  // namespace

// A step ends with the record of its slot's event. The two slots are used in turn.
TEST_CASE("each step of an epoch is launched before the host waits for the step before it") {
    const std::int64_t worldSize = GENERATE(1, 2);
    const Ahead run = trainAhead(experiment(worldSize));
    std::vector<std::string> expected{"record 1"};
    for (int step = 2; step <= 20; ++step) {
        expected.push_back("record " + std::to_string(2 - step % 2));
        expected.push_back("poll " + std::to_string(1 + step % 2));
    }
    expected.push_back("poll 2");
    for (const auto& gpu : run.gpus) CHECK(stepLines(*gpu) == expected);
    for (const RankReport& rank : run.ranks) CHECK(stepsOf(rank) == countingTo(20));
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

// The command arrives with the report of step 5, when step 6 has been launched. Step 7 is the first that carries it,
// and its results are read after the launch of step 8, the last step on each rank.
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
    const Ahead run = trainAhead(
        experiment(2), {.runDirectory = {},
                        .stopAfter = {},
                        .tellAfter = {{5, {{ControlKind::kPause}}}},
                        .tellWhileHeld = {{ControlKind::kStep, 1}, {ControlKind::kStep, 2}, {ControlKind::kResume}}});
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
    const Ahead run = trainAhead(experiment(2),
                                 {.runDirectory = directory.path(),
                                  .stopAfter = {},
                                  .tellAfter = {{5, {{ControlKind::kLearningRate, 0.5}, {ControlKind::kCheckpoint}}}}});
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
    RunConfig config = experiment(1);
    config.sampler.shuffle = false;
    CHECK_THROWS_WITH(trainAhead(config, DataSplit{std::make_shared<MemoryDataset>(std::move(table)), nullptr, {}}),
                      containing("is not a number at step 6"));
}

TEST_CASE("a traced step ends before the next one is launched") {
    RunConfig config = experiment(1);
    config.telemetry.trace = TraceLevel::kPhases;
    const Ahead run = trainAhead(config);
    CHECK(stepLines(*run.gpus.front())[1] == "poll 1");
    CHECK(run.ranks.front().traces.size() > 0);
}
