// SPDX-License-Identifier: Apache-2.0
// Tests of commands to a run that trains: they change when steps happen, and otherwise only what the command requests.
#include <algorithm>
#include <cstring>

#include "base/json/json.h"
#include "base/system/files.h"
#include "support/catch.h"
#include "support/temporary_directory.h"
#include "train/training_run.h"

using namespace ringside;
using namespace ringside::test;

namespace {

RunConfig control2Ranks() {
    RunConfig config;
    config.parallel.worldSize = 2;
    config.training.epochs = 2;
    config.loader.batchSize = 120;  // 6 steps an epoch
    return config;
}

bool sameValues(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

const ControlCommand kHold{ControlKind::kPause};
const ControlCommand kGo{ControlKind::kResume};
const ControlCommand kOnePhase{ControlKind::kPhase};

// Returns the executed commands as rank 0 reports them: "pause after optimizer at 2".
std::vector<std::string> controlsOf(const std::vector<RankReport>& ranks) {
    std::vector<std::string> all;
    for (const Controlled& one : ranks[0].all<Controlled>())
        all.push_back(textOf(one.command) + (one.after ? " after " + std::string(phaseName(*one.after)) : "") + " at " +
                      std::to_string(one.step));
    return all;
}

// Trains without commands, and with pauses, steps, single phases and slow motion. Both must end with the same bits.
void checkUndisturbed(const RunConfig& config) {
    const auto whole = trainAsThreads(config);
    RunOptions options;
    options.commandsAfter[1] = {kHold};
    options.commandsWhilePaused = {{ControlKind::kStep, 2},    kOnePhase, kOnePhase, kOnePhase,
                                   {ControlKind::kRate, 1000}, kGo};
    const auto held = trainAsThreads(config, options);
    for (std::size_t rank = 0; rank < whole.size(); ++rank) {
        CHECK(sameValues(held[rank].parameters, whole[rank].parameters));
        REQUIRE(whole[rank].steps.size() > 6);
        REQUIRE(held[rank].steps.size() == whole[rank].steps.size());
        for (std::size_t i = 0; i < whole[rank].steps.size(); ++i)
            CHECK(held[rank].steps[i].loss == whole[rank].steps[i].loss);
    }
    CHECK(controlsOf(held).size() == 11);  // 5 pauses and the 6 commands that ended or changed them
}

}  // namespace

TEST_CASE("pauses, single steps and phases take effect at the requested point on all ranks") {
    RunOptions options;
    options.commandsAfter[2] = {kHold};
    options.commandsWhilePaused = {{ControlKind::kStep, 3}, kOnePhase, kOnePhase, kOnePhase, kOnePhase, kOnePhase, kGo};
    const auto ranks = trainAsThreads(control2Ranks(), options);
    // A step is reported before its end, so a command sent after step 2 is executed at the end of step 2 or 3: rank 0
    // may receive it before the agreement at the end of step 2, with the signal in step 3.
    const std::vector<std::string> expected{
        "pause after optimizer at 3", "step at 3",  "pause after optimizer at 6", "phase at 6",
        "pause after data at 6",      "phase at 6", "pause after forward at 6",   "phase at 6",
        "pause after backward at 6",  "phase at 6", "pause after moving at 6",    "phase at 6",
        "pause after optimizer at 7", "resume at 7"};
    CHECK(controlsOf(ranks) == expected);
    for (const RankReport& rank : ranks) {
        CHECK(std::count(rank.states.begin(), rank.states.end(), RankStage::kPaused) == 7);
        CHECK(rank.steps.size() == 12);
    }
}

TEST_CASE("in slow motion every rank reports each phase of its steps, and at full speed none") {
    RunConfig config = control2Ranks();
    config.training.maxSteps = 3;
    RunOptions options;
    options.commandsAfter[1] = {{ControlKind::kRate, 5}};
    const auto ranks = trainAsThreads(config, options);
    for (const RankReport& rank : ranks) {
        std::vector<std::pair<Phase, int>> places;
        for (const PhaseReached& one : rank.all<PhaseReached>()) {
            CHECK(one.step == 3);  // sent in step 1, executed at the end of step 2
            CHECK(one.action.empty());
            places.emplace_back(one.phase, one.layer);
        }
        // The layers Linear, ReLU and Linear in the forward pass and back.
        CHECK(places == std::vector<std::pair<Phase, int>>{{Phase::kDataWait, -1},
                                                           {Phase::kForward, -1},
                                                           {Phase::kForward, 0},
                                                           {Phase::kForward, 1},
                                                           {Phase::kForward, 2},
                                                           {Phase::kBackward, -1},
                                                           {Phase::kBackward, 2},
                                                           {Phase::kBackward, 1},
                                                           {Phase::kBackward, 0},
                                                           {Phase::kMoving, -1},
                                                           {Phase::kOptimizer, -1}});
    }
}

TEST_CASE("in slow motion the ranks of a pipeline report each action, with unchanged bits") {
    RunConfig config = control2Ranks();
    config.parallel.strategy = StrategyKind::kPipeline;
    config.pipeline.microBatches = 3;
    config.training.maxSteps = 3;
    RunOptions options;
    options.commandsAfter[1] = {{ControlKind::kRate, 5}};
    const auto ranks = trainAsThreads(config, options);
    const std::vector<std::vector<std::string>> schedule{{"0F0", "0F1", "0B0", "0F2", "0B1", "0B2"},
                                                         {"1F0", "1B0", "1F1", "1B1", "1F2", "1B2"}};
    for (std::size_t rank = 0; rank < 2; ++rank) {
        std::vector<std::string> actions;
        for (const PhaseReached& one : ranks[rank].all<PhaseReached>()) {
            if (one.action.empty() || one.step != 3) continue;
            CHECK(one.phase == (one.action[1] == 'F' ? Phase::kForward : Phase::kBackward));
            CHECK(one.layer == -1);
            actions.push_back(one.action);
        }
        CHECK(actions == schedule[rank]);  // the schedule 1F1B, written by hand
    }
    const auto free = trainAsThreads(config);
    CHECK(ranks[0].steps.back().loss == free[0].steps.back().loss);
}

TEST_CASE("pausing a run changes no bit of any kind of model") {
    RunConfig config = control2Ranks();
    SECTION("mlp with momentum") {}
    SECTION("mlp with Adam and accumulation") {
        config.optimizer.kind = OptimizerKind::kAdam;
        config.optimizer.lr = 0.002;
        config.loader.batchSize = 40;
        config.training.accumulateSteps = 3;
    }
    SECTION("toy_linear") {
        config.model.kind = ModelKind::kToyLinear;
        config.dataset.kind = DatasetKind::kSynthetic;
        config.loader.batchSize = 64;
    }
    SECTION("residual_cnn with batch norm") {
        config.model.kind = ModelKind::kResidualCnn;
        config.model.width = 8;
        config.model.depth = 1;
    }
    SECTION("transformer with dropout") {
        config.model.kind = ModelKind::kTransformer;
        config.model.width = 16;
        config.model.depth = 1;
        config.model.heads = 2;
        config.model.dropout = 0.1;
        config.dataset.kind = DatasetKind::kText;
        config.dataset.contextLength = 16;
        config.training.epochs = 1;
        config.loader.batchSize = 40;
    }
    SECTION("simple_cnn") {
        config.model.kind = ModelKind::kSimpleCnn;
    }
    SECTION("a list of layers with dropout") {
        config.model.kind = ModelKind::kLayers;
        config.model.layers =
            R"([{"kind":"flatten"},{"kind":"linear","out":32},{"kind":"gelu"},{"kind":"dropout","p":0.2},{"kind":"linear"}])";
    }
    SECTION("fsdp") {
        config.parallel.strategy = StrategyKind::kFsdp;
    }
    SECTION("pipeline") {
        config.parallel.strategy = StrategyKind::kPipeline;
    }
    SECTION("one rank") {
        config.parallel.worldSize = 1;
    }
    checkUndisturbed(config);
}

TEST_CASE("a stop ends a pause and the current step") {
    RunOptions options;
    options.commandsAfter[2] = {kHold};
    options.commandsWhilePaused = {kOnePhase, {ControlKind::kStop}};
    const auto ranks = trainAsThreads(control2Ranks(), options);
    for (const RankReport& rank : ranks) {
        CHECK(rank.outcome == TrainOutcome::kStopped);
        CHECK(rank.steps.size() == 4);
    }
    CHECK(controlsOf(ranks).back() == "stop at 3");
}

TEST_CASE("after a stop in slow motion no rank sleeps, and all finish the step") {
    RunConfig config = control2Ranks();
    config.training.maxSteps = 3;
    RunOptions options;
    options.commandsAfter[1] = {{ControlKind::kRate, 5}};
    for (const RankReport& rank : trainAsThreads(config, options))
        CHECK(rank.rests == 6);  // step 3: 3 layers, 2 passes
    config.training.maxSteps = 4;
    options.commandsWhilePaused = {{ControlKind::kStop}};  // after the data of step 3
    for (const RankReport& rank : trainAsThreads(config, options)) {
        CHECK(rank.rests == 0);
        CHECK(rank.steps.size() == 3);
        CHECK(rank.outcome == TrainOutcome::kStopped);
    }
}

TEST_CASE("a new learning rate applies from the next step on, and schedules continue from it") {
    RunConfig config = control2Ranks();
    config.schedule.kind = RateScheduleKind::kStep;
    config.schedule.stepSize = 1;
    config.schedule.gamma = 0.5;
    RunOptions options;
    options.commandsAfter[2] = {{ControlKind::kLearningRate, 0.04}};
    const auto ranks = trainAsThreads(config, options);
    const std::vector<double> expected{0.1, 0.1, 0.1, 0.04, 0.04, 0.04, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02};
    for (const RankReport& rank : ranks) {
        REQUIRE(rank.steps.size() == expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) CHECK(rank.steps[i].learningRate == expected[i]);
    }
}

TEST_CASE("the number of epochs can be raised and lowered during the run") {
    RunOptions options;
    options.commandsAfter[2] = {{ControlKind::kEpochs, 3}};
    CHECK(trainAsThreads(control2Ranks(), options)[0].steps.size() == 18);
    options.commandsAfter[2] = {{ControlKind::kEpochs, 1}};
    CHECK(trainAsThreads(control2Ranks(), options)[1].steps.size() == 6);
}

TEST_CASE("a number of epochs below the current epoch is raised to it, in the report and in checkpoints") {
    const TemporaryDirectory directory;
    RunConfig config = control2Ranks();
    config.training.epochs = 3;
    RunOptions options;
    options.runDirectory = directory.path();
    options.commandsAfter[8] = {{ControlKind::kEpochs, 1}};  // in the second epoch
    const auto ranks = trainAsThreads(config, options);
    CHECK(ranks[1].steps.size() == 12);
    REQUIRE(ranks[0].all<Controlled>().size() == 1);
    CHECK(ranks[0].all<Controlled>().front().value == 2);
    const std::string saved = ranks[0].all<CheckpointSaved>().back().path;
    const Json manifest = readJsonFile(directory.path() / saved / "manifest.json").value();
    CHECK(manifest["control"][0]["value"] == 2);
}

TEST_CASE("checkpoints contain a changed number of epochs until a resumed run has another number") {
    const TemporaryDirectory directory;
    RunOptions options;
    options.runDirectory = directory.path() / "stopped";
    options.commandsAfter[2] = {{ControlKind::kEpochs, 3}};
    options.stopAfter = [](std::int64_t step) { return step == 4; };
    trainAsThreads(control2Ranks(), options);
    const auto changesOfResumed = [&](const char* name, std::int64_t epochs) {
        RunConfig config = control2Ranks();
        config.training.epochs = epochs;
        config.training.resume = options.runDirectory.string();
        const std::filesystem::path out = directory.path() / name;
        const auto ranks = trainAsThreads(config, {.runDirectory = out, .stopAfter = {}});
        const std::string saved = ranks[0].all<CheckpointSaved>().back().path;
        return readJsonFile(out / saved / "manifest.json").value().value("control", Json::array()).size();
    };
    CHECK(changesOfResumed("kept", 3) == 1);
    CHECK(changesOfResumed("replaced", 4) == 0);
}

TEST_CASE("a run with a changed learning rate has the same result when resumed from a checkpoint") {
    const TemporaryDirectory directory;
    RunConfig config = control2Ranks();
    config.schedule.kind = RateScheduleKind::kStep;
    config.schedule.stepSize = 1;
    config.schedule.gamma = 0.5;
    RunOptions options;
    options.runDirectory = directory.path() / "whole";
    options.commandsAfter[1] = {{ControlKind::kLearningRate, 0.04}};
    options.commandsAfter[4] = {{ControlKind::kCheckpoint}};
    const auto whole = trainAsThreads(config, options);
    const auto saved = whole[0].all<CheckpointSaved>();
    REQUIRE(saved.size() == 2);
    CHECK(saved[0].step == 5);
    const Json manifest = readJsonFile(options.runDirectory / saved[0].path / "manifest.json").value();
    CHECK(manifest["control"] == Json::parse(R"([{"kind":"lr","value":0.04,"step":2,"epoch":0}])"));

    config.training.resume = (options.runDirectory / saved[0].path).string();
    const auto rest = trainAsThreads(config, {.runDirectory = directory.path() / "rest", .stopAfter = {}});
    CHECK(sameValues(rest[1].parameters, whole[1].parameters));
    for (const char* file : {"model.safetensors", "optimizer.safetensors"})
        CHECK(readFile(directory.path() / "rest" / saved[1].path / file, 1 << 24).value() ==
              readFile(directory.path() / "whole" / saved[1].path / file, 1 << 24).value());
    for (std::size_t i = 0; i < rest[0].steps.size(); ++i)
        CHECK(rest[0].steps[i].learningRate == whole[0].steps[5 + i].learningRate);
}
