// SPDX-License-Identifier: Apache-2.0
#include "base/system/files.h"
#include "support/catch.h"
#include "support/choices.h"
#include "support/temporary_directory.h"
#include "train/replay.h"
#include "train/training_run.h"

using namespace ringside;
using namespace ringside::test;

namespace {

RunConfig smallRun(const std::string& precision) {
    RunConfig config;
    config.parallel.worldSize = 2;
    config.training.epochs = 1;
    config.model.hidden = {16};
    choose(config.training.precision, precision);
    return config;
}

std::string manifestOf(const std::filesystem::path& run, const char* step) {
    return readFile(run / "checkpoints" / (std::string("step-") + step) / "manifest.json", 1 << 16).value();
}

RankParts recordingDevices(Communicator& inner) {
    const auto tape = std::make_shared<Tape>();
    return {makeReplayBackend(tape), makeReplayCommunicator(tape, inner)};
}

}  // namespace

TEST_CASE("scaling the loss by a power of two changes no bit of float32 training") {
    const auto plain = trainAsThreads(smallRun("fp32"));
    // The loss is scaled, although the CPU computes in float32 for any precision.
    const auto scaled = trainAsThreads(smallRun("fp16"));
    REQUIRE(plain[0].steps.size() == scaled[0].steps.size());
    for (std::size_t i = 0; i < plain[0].steps.size(); ++i) CHECK(plain[0].steps[i].loss == scaled[0].steps[i].loss);
    CHECK(plain[0].parameters == scaled[0].parameters);
    CHECK(scaled[0].parameters == scaled[1].parameters);
}

TEST_CASE("a resumed float16 run continues with its loss scale") {
    const TemporaryDirectory directory;
    RunConfig config = smallRun("fp16");  // 23 steps without an infinite gradient
    const auto first = directory.path() / "first";
    trainAsThreads(config, {.runDirectory = first, .stopAfter = [](std::int64_t step) { return step == 9; }});
    const auto stopped =
        CheckpointManifest::fromJson(parseJson(manifestOf(first, "00000010"), "manifest").value(), "").value();
    REQUIRE(stopped.lossScale);
    CHECK(stopped.lossScale->scale == 65536);
    CHECK(stopped.lossScale->growthTracker == 10);

    config.training.resume = first.string();
    trainAsThreads(config, {.runDirectory = directory.path() / "second", .stopAfter = {}});
    const auto ended = CheckpointManifest::fromJson(
                           parseJson(manifestOf(directory.path() / "second", "00000023"), "manifest").value(), "")
                           .value();
    REQUIRE(ended.lossScale);
    CHECK(ended.lossScale->growthTracker == 23);
}

TEST_CASE("a float16 run with skipped first steps resumes bit for bit, with masks and momentum") {
    const auto [optimizer, stopAt] = GENERATE(table<std::string, std::int64_t>({{"sgd", 6}, {"sgd", 2}, {"adam", 6}}));
    const bool recorded = GENERATE(false, true);
    CAPTURE(optimizer, stopAt, recorded);
    const TemporaryDirectory directory;
    RunConfig config = smallRun("fp16");
    config.model.kind = ModelKind::kLayers;
    config.model.layers = R"([{"kind": "linear", "out": 16}, {"kind": "relu"}, {"kind": "dropout", "p": 0.5},
        {"kind": "linear"}])";
    choose(config.optimizer.kind, optimizer);
    config.loader.batchSize = 8;
    config.optimizer.lr = 1e-20;
    config.optimizer.momentum = optimizer == "sgd" ? 0.9 : 0;
    config.optimizer.dampening = optimizer == "sgd" ? 0.5 : 0;
    const DataSplit data = largeNumbers();
    const auto train = [&](const char* name, const std::function<bool(std::int64_t)>& stopAfter) {
        RunOptions options{.runDirectory = directory.path() / name, .stopAfter = stopAfter};
        if (recorded) options.devices = recordingDevices;
        return trainAsThreads(config, data, options);
    };
    const auto whole = train("whole", {});
    train("first", [at = stopAt](std::int64_t step) { return step == at - 1; });
    config.training.resume = (directory.path() / "first").string();
    const auto rest = train("second", {});

    const auto scale = CheckpointManifest::fromJson(
                           parseJson(manifestOf(directory.path() / "whole", "00000012"), "manifest").value(), "")
                           .value()
                           .lossScale;
    REQUIRE(scale);
    CHECK(scale->skippedSteps > 0);
    CHECK(scale->skippedSteps < 6);
    REQUIRE(rest[0].steps.size() == whole[0].steps.size() - static_cast<std::size_t>(stopAt));
    for (std::size_t i = 0; i < rest[0].steps.size(); ++i)
        CHECK(rest[0].steps[i].loss == whole[0].steps[i + static_cast<std::size_t>(stopAt)].loss);
    CHECK(rest[0].parameters == whole[0].parameters);
}

TEST_CASE("an invalid loss scale is refused") {
    for (const char* scale : {"0", "-1", "\"large\"", "null"}) {
        const std::string text = std::string(R"({"version":1,"loss_scale":{"scale":)") + scale + "}}";
        const auto manifest = CheckpointManifest::fromJson(parseJson(text, "manifest").value(), "manifest.json");
        REQUIRE_FALSE(manifest);
        CHECK(manifest.problem().message == "has an invalid value of \"loss_scale\"");
    }
}
