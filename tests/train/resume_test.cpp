// SPDX-License-Identifier: Apache-2.0
// Tests that a run resumed from a checkpoint equals an uninterrupted run, to the last bit.
#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "base/system/files.h"
#include "run/prepare/resume_point.h"
#include "support/catch.h"
#include "support/temporary_directory.h"
#include "train/interfaces/training_error.h"
#include "train/training_run.h"

using namespace ringside;
using namespace ringside::test;

namespace {

RunConfig digits(std::int64_t worldSize, std::int64_t epochs) {
    RunConfig config;
    config.parallel.worldSize = worldSize;
    config.training.epochs = epochs;
    config.loader.batchSize = 64 / worldSize;  // 23 steps an epoch
    return config;
}

// Returns an experiment on one rank, with a checkpoint after each epoch of 23 steps.
RunConfig everyEpoch(std::int64_t epochs) {
    RunConfig config = digits(1, epochs);
    config.training.checkpointEvery = 1;
    return config;
}

RunConfig adam(RunConfig config) {
    config.optimizer.kind = OptimizerKind::kAdam;
    config.optimizer.lr = 0.002;
    return config;
}

bool sameBits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

std::filesystem::path checkpointAt(const std::filesystem::path& run, const char* step) {
    return run / "checkpoints" / (std::string("step-") + step);
}

std::vector<std::string> checkpointsIn(const std::filesystem::path& run) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(run / "checkpoints"))
        names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
}

// Compares an uninterrupted training with one that stops after stopAt steps and is resumed.
void checkResumed(const RunConfig& config, std::int64_t stopAt) {
    const TemporaryDirectory directory;
    const auto whole = trainAsThreads(config, {.runDirectory = directory.path() / "whole", .stopAfter = {}});
    const auto first = trainAsThreads(config, {.runDirectory = directory.path() / "first",
                                               .stopAfter = [=](std::int64_t step) { return step == stopAt - 1; }});
    RunConfig rest = config;
    rest.training.resume = (directory.path() / "first").string();
    const auto second = trainAsThreads(rest, {.runDirectory = directory.path() / "second", .stopAfter = {}});
    const std::string last = whole[0].all<CheckpointSaved>().back().path;
    // Compares the buffers and the state of the optimizer too.
    for (const char* file : {"model.safetensors", "optimizer.safetensors"}) {
        CHECK(readFile(directory.path() / "second" / last / file, 1 << 24).value() ==
              readFile(directory.path() / "whole" / last / file, 1 << 24).value());
    }
    for (std::size_t rank = 0; rank < whole.size(); ++rank) {
        CHECK(sameBits(second[rank].parameters, whole[rank].parameters));
        REQUIRE(first[rank].steps.size() == static_cast<std::size_t>(stopAt));
        REQUIRE(first[rank].steps.size() + second[rank].steps.size() == whole[rank].steps.size());
        for (std::size_t i = 0; i < second[rank].steps.size(); ++i) {
            const StepRecord& expected = whole[rank].steps[first[rank].steps.size() + i];
            CHECK(second[rank].steps[i].step == expected.step);
            CHECK(second[rank].steps[i].loss == expected.loss);
            CHECK(second[rank].steps[i].learningRate == expected.learningRate);
        }
        const auto consumed = second[rank].all<Consumed>();
        const auto planned = whole[rank].all<Consumed>();
        REQUIRE(!consumed.empty());
        CHECK(consumed.front().sha256 == planned[planned.size() - consumed.size()].sha256);
    }
    const auto results = second[0].results("train");
    const auto expected = whole[0].results("train");
    CHECK(results.back().loss == expected.back().loss);
    CHECK(results.front().loss == Approx(expected[expected.size() - results.size()].loss).epsilon(1e-12));
    CHECK(results.front().samples == expected.front().samples);
}

std::string refusal(const RunConfig& config) {
    try {
        trainAsThreads(config);
    } catch (const TrainingError& error) {
        return error.what();
    }
    return "no error";
}

// Trains one epoch of the digits on one rank and saves it in the directory. Returns an experiment that resumes from
// there.
RunConfig savedEpoch(const TemporaryDirectory& directory) {
    RunConfig config = digits(1, 1);
    trainAsThreads(config, {.runDirectory = directory.path(), .stopAfter = {}});
    config.training.epochs = 2;
    config.training.resume = directory.path().string();
    return config;
}

bool has(const std::string& text, const char* part) {
    INFO(text);
    const bool found = text.find(part) != std::string::npos;
    CHECK(found);
    return found && text.find('\n') == std::string::npos;
}

}  // namespace

TEST_CASE("a run stopped in the middle of an epoch resumes bit for bit") {
    checkResumed(digits(1, 3), 30);
    checkResumed(digits(2, 3), 30);
}

TEST_CASE("a run stopped at the last step of an epoch resumes bit for bit") {
    checkResumed(digits(2, 3), 46);
}

TEST_CASE("Adam, AdamW, accumulation and schedules resume bit for bit") {
    RunConfig config = adam(digits(2, 4));
    config.schedule.kind = RateScheduleKind::kCosine;
    config.schedule.warmupEpochs = 1;
    checkResumed(config, 30);
    config.optimizer.kind = OptimizerKind::kAdamW;
    config.schedule.kind = RateScheduleKind::kStep;
    config.schedule.stepSize = 1;
    config.training.accumulateSteps = 2;  // 23 batches make 12 steps
    checkResumed(config, 17);
    RunConfig plain = digits(1, 2);
    plain.optimizer.momentum = 0;
    plain.optimizer.clipGradNorm = 0.5;
    checkResumed(plain, 24);
}

TEST_CASE("batch norm's running statistics resume bit for bit") {
    RunConfig config = digits(2, 2);
    config.model = {.kind = ModelKind::kResidualCnn, .width = 4, .depth = 1};
    config.optimizer.lr = 0.01;
    checkResumed(config, 26);
}

TEST_CASE("a finished run can be resumed for more epochs") {
    const TemporaryDirectory directory;
    const RunConfig config = savedEpoch(directory);
    RunConfig whole = config;
    whole.training.resume.clear();
    CHECK(sameBits(trainAsThreads(config)[0].parameters, trainAsThreads(whole)[0].parameters));
}

TEST_CASE("a resume between two epochs may change the world size") {
    const TemporaryDirectory directory;
    RunConfig config = savedEpoch(directory);
    config.parallel.worldSize = 2;
    const auto ranks = trainAsThreads(config);
    CHECK(ranks[0].steps.front().step == 24);
    CHECK(sameBits(ranks[0].parameters, ranks[1].parameters));
}

TEST_CASE("a weights file provides only the initial weights") {
    const TemporaryDirectory directory;
    RunConfig config = savedEpoch(directory);
    config.training.resume = (checkpointAt(directory.path(), "00000023") / "model.safetensors").string();
    config.optimizer.kind = OptimizerKind::kAdam;
    const auto ranks = trainAsThreads(config);
    CHECK(ranks[0].steps.front().step == 1);
    CHECK(ranks[0].steps.front().epoch == 0);
    CHECK(ranks[0].steps.front().loss < 1);  // the loss is 2.3 with the initial weights
}

TEST_CASE("settings that do not match a checkpoint are refused in one line") {
    const TemporaryDirectory directory;
    const RunConfig config = savedEpoch(directory);
    RunConfig other = config;
    other.training.epochs = 1;
    CHECK(
        has(refusal(other), "training.epochs is 1, and the checkpoint was saved after epoch 1: raise training.epochs"));
    other = adam(config);
    CHECK(has(refusal(other), "optimizer.kind is adam, but the checkpoint was written by sgd: choose sgd"));
    other = config;
    other.model.hidden = {64};
    CHECK(has(refusal(other), "has 0.weight with shape (128, 64); the model's tensor has shape (64, 64)"));
    other.model.hidden = {128, 128};
    CHECK(has(refusal(other), "has 2.weight with shape (10, 128); the model's tensor has shape (128, 128)"));
    other.model.kind = ModelKind::kToyLinear;
    CHECK(has(refusal(other), "has no tensor linear.weight; it has 0.bias, 0.weight, 2.bias, ..."));
    other = config;
    other.training.resume = (directory.path() / "nowhere").string();
    CHECK(has(refusal(other), "which does not exist: name a run directory"));
    std::filesystem::create_directories(directory.path() / "empty");
    other.training.resume = (directory.path() / "empty").string();
    CHECK(has(refusal(other), "which contains no complete checkpoint"));
}

TEST_CASE("momentum that a checkpoint does not have is refused") {
    const TemporaryDirectory directory;
    RunConfig config = digits(1, 1);
    config.optimizer.momentum = 0;
    trainAsThreads(config, {.runDirectory = directory.path(), .stopAfter = {}});
    config.training.epochs = 2;
    config.optimizer.momentum = 0.9;
    config.training.resume = directory.path().string();
    CHECK(has(refusal(config), "has no tensor state.0.weight.momentum_buffer"));
}

TEST_CASE("damaged checkpoints are refused by name") {
    const TemporaryDirectory directory;
    const RunConfig config = savedEpoch(directory);
    const auto file = checkpointAt(directory.path(), "00000023") / "model.safetensors";
    const std::string content = readFile(file, 1 << 20).value();
    writeFileAtomically(file, content.substr(0, content.size() - 4));
    CHECK(has(refusal(config), "model.safetensors has "));
    std::string flipped = content;
    flipped.back() = static_cast<char>(flipped.back() ^ 1);
    writeFileAtomically(file, flipped);
    CHECK(has(refusal(config), "was changed after it was written: its SHA-256 differs"));
    std::filesystem::remove(file);
    CHECK(has(refusal(config), "model.safetensors cannot be opened"));
    writeFileAtomically(file.parent_path() / "manifest.json", "{\"version\": 2}");
    RunConfig direct = config;
    direct.training.resume = file.parent_path().string();
    CHECK(has(refusal(direct), "has an unknown version"));
}

TEST_CASE("a resume in the middle of an epoch refuses settings that change the shards") {
    const TemporaryDirectory directory;
    RunConfig config = digits(2, 2);
    trainAsThreads(config,
                   {.runDirectory = directory.path(), .stopAfter = [](std::int64_t step) { return step == 4; }});
    config.training.resume = directory.path().string();
    RunConfig other = config;
    other.sampler.seed = 1;
    CHECK(has(refusal(other), "in the middle of epoch 1, whose samples would now be assigned differently"));
    other = config;
    other.parallel.worldSize = 1;
    CHECK(has(refusal(other), "in the middle of epoch 1"));
    other = config;
    other.loader.batchSize = 16;
    CHECK(has(refusal(other), "in the middle of epoch 1"));
    other = config;
    other.dataset.splitSeed = 1;  // other training samples under the same numbers
    CHECK(has(refusal(other), "in the middle of epoch 1"));
    CHECK(refusal(config) == "no error");
}

TEST_CASE("non-finite weights are not saved") {
    const TemporaryDirectory directory;
    RunConfig config = digits(1, 1);
    config.training.resume.clear();
    config.optimizer.lr = 1e300;
    config.loader.batchSize = 1437;  // one step, whose loss is finite and whose resulting weights are not
    const auto training = [&] { trainAsThreads(config, {.runDirectory = directory.path(), .stopAfter = {}}); };
    CHECK_THROWS_WITH(training(), containing("not all finite numbers and are not saved: lower optimizer.lr"));
    CHECK_FALSE(std::filesystem::exists(directory.path() / "checkpoints"));
}

TEST_CASE("a run resumed in its directory removes the checkpoints that earlier attempts would have removed") {
    const TemporaryDirectory directory;
    RunConfig config = everyEpoch(3);  // keeps all three checkpoints, as if earlier ones could not be removed
    trainAsThreads(config, {.runDirectory = directory.path(), .stopAfter = {}});
    const std::filesystem::path checkpoints = directory.path() / "checkpoints";
    const auto whole = std::filesystem::copy_options::recursive;
    std::filesystem::copy(checkpointAt(directory.path(), "00000023"), checkpoints / "best", whole);
    std::filesystem::copy(checkpointAt(directory.path(), "00000023"), checkpoints / "step-00000024", whole);
    std::filesystem::copy(checkpointAt(directory.path(), "00000023"), checkpoints / "step-30", whole);
    std::filesystem::create_directory_symlink(checkpoints / "best", checkpoints / "step-00000001");
    std::filesystem::create_directory(checkpoints / "step-00000050");  // an incomplete checkpoint
    config.training.epochs = 4;
    config.training.keepCheckpoints = 2;
    config.training.resume = directory.path().string();
    trainAsThreads(config, {.runDirectory = directory.path(), .stopAfter = {}});
    CHECK(checkpointsIn(directory.path()) == std::vector<std::string>{"best", "step-00000001", "step-00000024",
                                                                      "step-00000069", "step-00000092", "step-30"});
    CHECK(std::filesystem::exists(checkpoints / "best" / "model.safetensors"));
}

TEST_CASE("a run resumed elsewhere removes no checkpoints of the earlier run") {
    const TemporaryDirectory directory;
    RunConfig config = everyEpoch(2);
    trainAsThreads(config, {.runDirectory = directory.path() / "first", .stopAfter = {}});
    config.training.epochs = 4;
    config.training.keepCheckpoints = 1;
    config.training.resume = (directory.path() / "first").string();
    trainAsThreads(config, {.runDirectory = directory.path() / "second", .stopAfter = {}});
    CHECK(checkpointsIn(directory.path() / "first") == std::vector<std::string>{"step-00000023", "step-00000046"});
    CHECK(checkpointsIn(directory.path() / "second") == std::vector<std::string>{"step-00000092"});
}

TEST_CASE("a run resumed with a new assignment discards the steps that it repeats") {
    const TemporaryDirectory directory;
    RunConfig config = everyEpoch(3);
    trainAsThreads(config, {.runDirectory = directory.path(), .stopAfter = {}});
    config.loader.batchSize = 128;  // 12 steps an epoch
    config.training.resume = checkpointAt(directory.path(), "00000046").string();
    trainAsThreads(config, {.runDirectory = directory.path(), .stopAfter = {}});
    CHECK(checkpointsIn(directory.path()) ==
          std::vector<std::string>{"step-00000023", "step-00000046", "step-00000058"});
}

TEST_CASE("a timed checkpoint is removed by the attempt after the one that made it") {
    const TemporaryDirectory directory;
    RunConfig config = everyEpoch(2);
    // 1 s is ten steps of 100 ms; the ranks receive the request to save in the eleventh.
    config.training.checkpointSeconds = 1;
    const auto killed = [](std::int64_t step) -> bool {
        if (step == 15) throw std::runtime_error("killed");
        return false;
    };
    CHECK_THROWS_WITH(
        trainAsThreads(config, {.runDirectory = directory.path(), .stopAfter = killed, .stepUs = 100'000}), "killed");
    CHECK(checkpointsIn(directory.path()) == std::vector<std::string>{"step-00000011"});
    config.training.resume = directory.path().string();
    trainAsThreads(config, {.runDirectory = directory.path(), .stopAfter = {}});
    CHECK(checkpointsIn(directory.path()) == std::vector<std::string>{"step-00000023", "step-00000046"});
}
