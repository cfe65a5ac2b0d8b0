// SPDX-License-Identifier: Apache-2.0
// Tests that steps which are recorded once and then launched as a whole train the same model as steps that run
// directly.
#include <algorithm>
#include <cmath>
#include <mutex>

#include "support/catch.h"
#include "support/choices.h"
#include "train/replay.h"
#include "train/strategy_runs.h"
#include "train/training_run.h"

using namespace ringside;
using namespace ringside::test;

namespace {

struct Recorded {
    std::vector<RankReport> ranks;
    std::vector<std::shared_ptr<Tape>> tapes;
};

Recorded trainRecorded(const RunConfig& config, const DataSplit& data, const Tape& like = {}) {
    Recorded result;
    std::mutex mutex;
    RunOptions options;
    options.devices = [&](Communicator& inner) {
        auto tape = std::make_shared<Tape>(like);
        {
            const std::lock_guard lock(mutex);
            result.tapes.push_back(tape);
        }
        return RankParts{makeReplayBackend(tape), makeReplayCommunicator(tape, inner)};
    };
    result.ranks = trainAsThreads(config, data, options);
    return result;
}

Recorded trainRecorded(const RunConfig& config, const Tape& like = {}) {
    return trainRecorded(config, loadDataset(config.dataset).value(), like);
}

RunConfig experiment(const std::string& model, std::int64_t worldSize) {
    RunConfig config;
    choose(config.model.kind, model);
    config.model.width = 4;
    config.model.depth = 1;
    config.parallel.worldSize = worldSize;
    config.parallel.firstBucketMb = 0.001;  // several buckets
    config.parallel.bucketCapMb = 0.01;
    config.training.epochs = 3;
    config.schedule.kind = RateScheduleKind::kCosine;
    return config;
}

std::vector<double> recordedLosses(const RankReport& rank) {
    std::vector<double> all;
    for (const StepRecord& step : rank.steps) all.push_back(step.loss);
    return all;
}

void checkEqual(const std::vector<RankReport>& one, const std::vector<RankReport>& other) {
    REQUIRE(one.size() == other.size());
    for (std::size_t rank = 0; rank < one.size(); ++rank) {
        CHECK(recordedLosses(one[rank]) == recordedLosses(other[rank]));
        CHECK(one[rank].parameters == other[rank].parameters);
        CHECK(one[rank].results("val").size() == other[rank].results("val").size());
    }
    CHECK(one[0].results("val").back().loss == other[0].results("val").back().loss);
    CHECK(one[0].steps.front().gradientNorm == other[0].steps.front().gradientNorm);
}

// Checks that most steps are launched: all with complete batches, except the first two of each kind of step.
void checkLaunched(const Recorded& recorded) {
    const auto steps = static_cast<int>(recorded.ranks.front().steps.size());
    for (const auto& tape : recorded.tapes) CHECK(tape->launches > steps * 3 / 4);
    for (const RankReport& rank : recorded.ranks) CHECK(rank.all<LogLine>().empty());
}

// Checks that each kind of step runs directly only once and is recorded once.
void checkOneRecordingPerStep(const Recorded& recorded) {
    const auto steps = static_cast<int>(recorded.ranks.front().steps.size());
    for (const auto& tape : recorded.tapes) CHECK(tape->launches + tape->recordings == steps);
}

}  // namespace

TEST_CASE("a recorded step follows the learning rate schedule for every optimizer, with one rank and several") {
    const std::int64_t worldSize = GENERATE(1, 2);
    const std::string kind = GENERATE("sgd", "adam", "adamw");
    RunConfig config = experiment("mlp", worldSize);
    choose(config.optimizer.kind, kind);
    config.optimizer.lr = kind == "sgd" ? 0.1 : 0.01;
    config.optimizer.momentum = kind == "sgd" ? 0.9 : 0;
    const Recorded recorded = trainRecorded(config);
    checkLaunched(recorded);
    checkEqual(recorded.ranks, trainAsThreads(config));
}

TEST_CASE("batch norm's statistics and its count of batches are part of a recorded step") {
    RunConfig config = experiment("residual_cnn", 2);
    config.training.epochs = 2;
    config.optimizer.lr = 0.05;
    const Recorded recorded = trainRecorded(config);
    checkLaunched(recorded);
    checkEqual(recorded.ranks, trainAsThreads(config));
}

TEST_CASE("dropout draws new masks in every launch") {
    RunConfig config = experiment("mlp", 1);
    config.model.kind = ModelKind::kLayers;
    config.model.layers =
        R"([{"kind": "flatten"}, {"kind": "linear", "out": 16}, {"kind": "relu"}, {"kind": "dropout", "p": 0.5}, {"kind": "linear"}])";
    const Recorded recorded = trainRecorded(config);
    checkLaunched(recorded);
    checkEqual(recorded.ranks, trainAsThreads(config));
}

TEST_CASE("accumulating and averaging micro-batches have separate recordings") {
    RunConfig config = experiment("mlp", 2);
    config.training.accumulateSteps = 3;
    config.loader.batchSize = 16;
    const Recorded recorded = trainRecorded(config);
    checkLaunched(recorded);
    checkEqual(recorded.ranks, trainAsThreads(config));
}

TEST_CASE("batches uploaded during computation are the planned ones") {
    RunConfig config = experiment("mlp", 2);
    config.loader.numWorkers = GENERATE(0, 2);
    config.loader.batchSize = GENERATE(32, 1000);  // several steps per epoch, or one
    config.optimizer.lr = 0.05;
    const Recorded recorded = trainRecorded(config, {.uploads = true});
    const auto plain = trainAsThreads(config);
    checkEqual(recorded.ranks, plain);
    for (std::size_t rank = 0; rank < plain.size(); ++rank)
        CHECK(recorded.ranks[rank].all<Consumed>().back().sha256 == plain[rank].all<Consumed>().back().sha256);
    if (config.loader.batchSize == 32) checkLaunched(recorded);
}

TEST_CASE("a step with clipping, float16 or both is one recording, from the forward pass to the update") {
    RunConfig config = experiment("mlp", GENERATE(1, 2));
    choose(config.optimizer.kind, GENERATE("sgd", "adam"));
    config.optimizer.lr = 0.01;
    choose(config.training.precision, GENERATE("fp32", "fp16"));
    config.optimizer.clipGradNorm = config.training.precision == TrainingPrecision::kFp32 ? 0.5 : GENERATE(0.0, 0.5);
    CAPTURE(config.optimizer.kind, config.training.precision, config.optimizer.clipGradNorm);
    const Recorded recorded = trainRecorded(config);
    checkLaunched(recorded);
    checkOneRecordingPerStep(recorded);
    checkEqual(recorded.ranks, trainAsThreads(config));
}

TEST_CASE("one recording handles infinite and finite gradients for any loss scale") {
    RunConfig config = experiment("mlp", GENERATE(1, 2));
    config.training.epochs = 1;
    config.training.precision = TrainingPrecision::kFp16;
    config.loader.batchSize = 8;
    choose(config.optimizer.kind, GENERATE("sgd", "adam"));
    config.optimizer.clipGradNorm = GENERATE(0.0, 0.5);
    const bool plainGradients = config.optimizer.kind == OptimizerKind::kSgd && config.optimizer.clipGradNorm == 0;
    config.optimizer.lr = plainGradients ? 1e-20 : 1e-3;
    CAPTURE(config.parallel.worldSize, config.optimizer.kind, config.optimizer.clipGradNorm);
    const DataSplit data = largeNumbers();
    const Recorded recorded = trainRecorded(config, data);
    const auto plain = trainAsThreads(config, data);
    // All steps have one batch size, and their batches are at one address.
    for (const auto& tape : recorded.tapes) CHECK(tape->recordings == 1);
    checkOneRecordingPerStep(recorded);
    REQUIRE(recorded.ranks.size() == plain.size());
    for (std::size_t rank = 0; rank < plain.size(); ++rank) {
        CHECK(recordedLosses(recorded.ranks[rank]) == recordedLosses(plain[rank]));
        CHECK(recorded.ranks[rank].parameters == plain[rank].parameters);
    }
    const auto skipped = [](const StepRecord& step) { return std::isnan(step.gradientNorm); };
    const auto& steps = recorded.ranks.front().steps;
    CHECK(std::count_if(steps.begin(), steps.end(), skipped) > 1);
    CHECK_FALSE(skipped(steps.back()));
}

TEST_CASE("steps of FSDP, HSDP and pipelines are recorded and end with the bits of steps that run directly") {
    const TemporaryDirectory directory;
    RunConfig hybrid = sharded(blobs(4, 8), "parameters", "layer");
    hybrid.mesh.replicate = 2;
    RunConfig clipped = sharded(text(2, 8, directory.path()), "gradients", "block");
    clipped.optimizer.clipGradNorm = 0.5;
    clipped.training.maxSteps = 40;
    RunConfig both = pipelined(blobs(4, 16), "1f1b", 4);
    both.mesh.shard = 2;
    const std::vector<RunConfig> configs{sharded(blobs(2, 8), "optimizer", "layer"),
                                         sharded(blobs(2, 8), "parameters", "layer"),
                                         hybrid,
                                         clipped,
                                         pipelined(blobs(2, 16), "gpipe", 4),
                                         pipelined(blobs(2, 16), "1f1b", 4),
                                         pipelined(blobs(2, 16), "interleaved", 4, 2),
                                         pipelined(blobs(2, 16), "zero_bubble", 4),
                                         pipelined(text(2, 8, directory.path()), "gpipe", 2),
                                         both};
    for (RunConfig config : configs) {
        config.training.epochs = 6;
        config.training.maxSteps = 60;
        config.telemetry.trace = TraceLevel::kOff;  // traced steps, of which a slow computer has more, run directly
        CAPTURE(config.parallel.strategy, config.fsdp.shard, config.pipeline.schedule, config.mesh.shard);
        REQUIRE(config.validateForTraining().empty());
        const Recorded recorded = trainRecorded(config);
        const auto plain = trainAsThreads(config);
        REQUIRE(recorded.ranks.size() == plain.size());
        for (std::size_t rank = 0; rank < plain.size(); ++rank) {
            CHECK(recordedLosses(recorded.ranks[rank]) == recordedLosses(plain[rank]));
            CHECK(recorded.ranks[rank].parameters == plain[rank].parameters);
        }
        for (const auto& tape : recorded.tapes) CHECK(tape->launches > 0);
        for (const RankReport& rank : recorded.ranks)
            for (const LogLine& line : rank.all<LogLine>()) CHECK_THAT(line.text, !containing("kernel by kernel"));
    }
}

TEST_CASE("a recording of FSDP that fails is run directly, with the same bits") {
    const RunConfig config = sharded(blobs(2, 8), "parameters", "layer");
    const Recorded recorded = trainRecorded(config, {.breaks = true});
    const auto plain = trainAsThreads(config);
    for (const auto& tape : recorded.tapes) CHECK(tape->launches == 0);
    for (std::size_t rank = 0; rank < plain.size(); ++rank)
        CHECK(recordedLosses(recorded.ranks[rank]) == recordedLosses(plain[rank]));
}

TEST_CASE("a failed recording does not end the run: steps run directly, and one line gives the reason") {
    const std::int64_t worldSize = GENERATE(1, 2);
    const RunConfig config = experiment("mlp", worldSize);
    const Recorded recorded = trainRecorded(config, {.breaks = true});
    checkEqual(recorded.ranks, trainAsThreads(config));
    for (const auto& tape : recorded.tapes) CHECK(tape->launches == 0);
    for (const RankReport& rank : recorded.ranks) {
        const auto lines = rank.all<LogLine>();
        REQUIRE(lines.size() == 1);
        CHECK(lines.front().text ==
              "steps run kernel by kernel because they cannot be recorded as a CUDA graph: the recording broke");
    }
}
