// SPDX-License-Identifier: Apache-2.0
#include "train/checkpoint/checkpoint.h"
#include "support/choices.h"

#include <cstring>
#include <utility>

#include "base/json/json.h"
#include "base/system/files.h"
#include "run/checkpoint/safetensors.h"
#include "support/catch.h"
#include "support/rename_hook.h"
#include "support/temporary_directory.h"
#include "train/training_run.h"

using namespace ringside;
using namespace ringside::test;

namespace {

// Calls a function before each rename while the object lives.
class RenameHook {
  public:
    explicit RenameHook(std::function<void(const std::string&)> hook) { setRenameHook(std::move(hook)); }
    ~RenameHook() { setRenameHook({}); }
    RenameHook(const RenameHook&) = delete;
    RenameHook& operator=(const RenameHook&) = delete;
};

std::string contentOf(const std::filesystem::path& file) {
    return readFile(file, 1 << 24).value();
}

RunConfig shortRun(std::int64_t epochs, std::int64_t checkpointEvery) {
    RunConfig config;
    config.parallel.worldSize = 2;
    config.training.epochs = epochs;
    config.training.checkpointEvery = checkpointEvery;
    return config;
}

}  // namespace

TEST_CASE("a checkpoint contains the scale of the images") {
    const TemporaryDirectory directory;
    RunConfig config;
    config.parallel.worldSize = 2;
    config.training.epochs = 1;
    config.loader.normalize = true;
    trainAsThreads(config, {.runDirectory = directory.path(), .stopAfter = {}});
    const auto json = readJsonFile(directory.path() / "checkpoints" / "step-00000023" / kManifestName).value();
    const auto manifest = CheckpointManifest::fromJson(json, "manifest").value();
    // numpy, over the pixels of the first 1,437 of torch.randperm(1797) with seed 0, divided by 16.
    REQUIRE(manifest.normalize.mean.size() == 1);
    REQUIRE(manifest.normalize.deviation.size() == 1);
    CHECK(manifest.normalize.mean[0] == Approx(0.304901).margin(1e-6));
    CHECK(manifest.normalize.deviation[0] == Approx(0.375794).margin(1e-6));

    Json broken = json;
    broken["normalize"]["mean"] = {1, 2};
    CHECK(CheckpointManifest::fromJson(broken, "manifest").problem().message ==
          "has an invalid value of \"normalize\"");
}

TEST_CASE("a finished run leaves its final weights as safetensors with PyTorch's names") {
    const TemporaryDirectory directory;
    const auto ranks = trainAsThreads(shortRun(1, 0), {.runDirectory = directory.path(), .stopAfter = {}});
    const auto saved = ranks[0].all<CheckpointSaved>();
    REQUIRE(saved.size() == 1);
    CHECK(saved[0].path == "checkpoints/step-00000023");  // ceil(719 / 32)
    CHECK(ranks[1].all<CheckpointSaved>().empty());

    const auto path = directory.path() / saved[0].path;
    const std::string content = readFile(path / "model.safetensors", 1 << 20).value();
    const SafetensorsFile file = SafetensorsFile::parse(content, "model").value();
    REQUIRE(file.entries().size() == 4);
    CHECK(file.find("0.weight")->shape == std::vector<std::int64_t>{128, 64});
    CHECK(file.find("2.bias")->shape == std::vector<std::int64_t>{10});
    CHECK(file.find("2.weight")->type == "F32");
    const auto weights = file.bytes(*file.find("0.weight"));
    REQUIRE(weights.size() == 128 * 64 * sizeof(float));
    CHECK(std::memcmp(weights.data(), ranks[0].parameters.data(), weights.size()) == 0);

    const Json manifest = readJsonFile(path / "manifest.json").value();
    CHECK(manifest["step"] == 23);
    CHECK(manifest["epochs_done"] == 1);
    CHECK(manifest["files"][0]["bytes"] == std::filesystem::file_size(path / "model.safetensors"));
    CHECK(manifest["optimizer"] == "sgd");
    CHECK(manifest["sampler"]["world_size"] == 2);
    CHECK_FALSE(manifest.contains("epoch"));
}

TEST_CASE("checkpoints are written at the set interval, the final one only once") {
    const TemporaryDirectory directory;
    const auto ranks = trainAsThreads(shortRun(4, 2), {.runDirectory = directory.path(), .stopAfter = {}});
    std::vector<std::string> paths;
    for (const auto& saved : ranks[0].all<CheckpointSaved>()) paths.push_back(saved.path);
    CHECK(paths == std::vector<std::string>{"checkpoints/step-00000046", "checkpoints/step-00000092"});
}

TEST_CASE("a stopped run keeps the weights it had") {
    const TemporaryDirectory directory;
    const auto ranks = trainAsThreads(
        shortRun(4, 0), {.runDirectory = directory.path(), .stopAfter = [](std::int64_t step) { return step == 4; }});
    REQUIRE(ranks[0].all<CheckpointSaved>().size() == 1);
    CHECK(ranks[0].all<CheckpointSaved>()[0].step == 5);
    const Json manifest = readJsonFile(directory.path() / "checkpoints/step-00000005/manifest.json").value();
    CHECK(manifest["epochs_done"] == 0);
    CHECK(manifest["epoch"]["batches_done"] == 5);
}

TEST_CASE("a run directory deleted during a checkpoint is created again") {
    const std::string strategy = GENERATE("ddp", "fsdp");
    INFO(strategy);
    const TemporaryDirectory scratch;
    RunConfig config = shortRun(1, 0);
    choose(config.parallel.strategy, strategy);
    trainAsThreads(config, {.runDirectory = scratch.path() / "undisturbed", .stopAfter = {}});

    const std::filesystem::path run = scratch.path() / "run";
    int attempts = 0;  // only rank 0 renames files
    const RenameHook hook([&](const std::string& name) {
        if (name == kWeightsName) ++attempts;
        const bool isHalfDone = attempts == 1 && name == kWeightsName;
        const bool isAlmostDone = attempts == 2 && name == kManifestName;
        if (isHalfDone || isAlmostDone) std::filesystem::remove_all(run);
    });
    const auto ranks = trainAsThreads(config, {.runDirectory = run, .stopAfter = {}});
    const auto saved = ranks[0].all<CheckpointSaved>();
    REQUIRE(saved.size() == 1);
    CHECK(saved[0].path == "checkpoints/step-00000023");
    for (const char* file : {kWeightsName, kOptimizerName, kManifestName})
        CHECK(contentOf(run / saved[0].path / file) ==
              contentOf(scratch.path() / "undisturbed" / saved[0].path / file));
    CHECK(attempts == 3);
}

TEST_CASE("weights that the run directory cannot hold are saved next to it, and the error names the directory") {
    const std::string strategy = GENERATE("ddp", "fsdp");
    INFO(strategy);
    const TemporaryDirectory scratch;
    RunConfig config = shortRun(1, 0);
    choose(config.parallel.strategy, strategy);
    trainAsThreads(config, {.runDirectory = scratch.path() / "undisturbed", .stopAfter = {}});

    const std::filesystem::path run = scratch.path() / "run";
    std::filesystem::create_directories(run);
    writeFileAtomically(run / "checkpoints", "a file in the way");
    const std::string saved = run.string() + "-saved";
    CHECK_THROWS_WITH(trainAsThreads(config, {.runDirectory = run, .stopAfter = {}}),
                      containing("the weights after step 23 are saved in " + saved + "/checkpoints/step-00000023"));
    const std::filesystem::path there = std::filesystem::path(saved) / "checkpoints/step-00000023";
    const auto expected = scratch.path() / "undisturbed/checkpoints/step-00000023";
    for (const char* file : {kWeightsName, kOptimizerName, kManifestName})
        CHECK(contentOf(there / file) == contentOf(expected / file));

    config.training.epochs = 2;
    config.training.resume = saved;
    const auto resumed = trainAsThreads(config, {.runDirectory = scratch.path() / "resumed", .stopAfter = {}});
    CHECK(resumed[0].steps.size() == 23);
}

TEST_CASE("a checkpoint that is deleted before the run stops at the same step is written again") {
    const std::string strategy = GENERATE("ddp", "fsdp");
    INFO(strategy);
    const TemporaryDirectory scratch;
    const std::filesystem::path run = scratch.path() / "run";
    RunConfig config = shortRun(4, 0);
    choose(config.parallel.strategy, strategy);
    RunOptions options{.runDirectory = run, .stopAfter = {}};
    options.commandsAfter[5] = {{ControlKind::kCheckpoint}, {ControlKind::kStop}};
    options.onEvent = [&, deleted = false](const Event& event) mutable {
        if (std::holds_alternative<CheckpointSaved>(event) && !std::exchange(deleted, true))
            std::filesystem::remove_all(run);
    };
    const auto ranks = trainAsThreads(config, options);
    CHECK(ranks[0].outcome == TrainOutcome::kStopped);
    const auto saved = ranks[0].all<CheckpointSaved>();
    REQUIRE(saved.size() == 2);
    CHECK(saved[0].step == saved[1].step);
    CHECK(std::filesystem::exists(run / saved[1].path / kManifestName));
}
