// SPDX-License-Identifier: Apache-2.0
#include "train/checkpoint.h"

#include <cstring>

#include "base/files.h"
#include "base/json.h"
#include "support/catch.h"
#include "support/temporary_directory.h"
#include "train/training_run.h"

using namespace ringside;
using namespace ringside::test;

namespace {

RunConfig shortRun(std::int64_t epochs, std::int64_t checkpointEvery) {
    RunConfig config;
    config.parallel.worldSize = 2;
    config.training.epochs = epochs;
    config.training.checkpointEvery = checkpointEvery;
    return config;
}

struct Safetensors {
    Json header;
    std::string data;
};

Safetensors parse(const std::string& file) {
    std::uint64_t length = 0;
    REQUIRE(file.size() > 8);
    std::memcpy(&length, file.data(), 8);
    REQUIRE(length % 8 == 0);
    REQUIRE(length <= file.size() - 8);
    return {Json::parse(file.substr(8, length)), file.substr(8 + length)};
}

}  // namespace

TEST_CASE("A finished run leaves its final weights as safetensors with PyTorch's names") {
    const TemporaryDirectory directory;
    const auto ranks = trainAsThreads(shortRun(1, 0), {.runDirectory = directory.path(), .stopAfter = {}});
    const auto saved = ranks[0].all<CheckpointSaved>();
    REQUIRE(saved.size() == 1);
    CHECK(saved[0].path == "checkpoints/step-00000023");  // ceil(719 / 32)
    CHECK(ranks[1].all<CheckpointSaved>().empty());

    const auto path = directory.path() / saved[0].path;
    const Safetensors file = parse(readFile(path / "model.safetensors", 1 << 20).value());
    CHECK(file.header["0.weight"]["shape"] == Json({128, 64}));
    CHECK(file.header["2.bias"]["shape"] == Json({10}));
    CHECK(file.header["2.weight"]["dtype"] == "F32");
    CHECK(file.data.size() == ranks[0].parameters.size() * sizeof(float));
    const auto offset = file.header["0.weight"]["data_offsets"][0].get<std::size_t>();
    CHECK(std::memcmp(file.data.data() + offset, ranks[0].parameters.data(), 128 * 64 * sizeof(float)) == 0);

    const Json manifest = readJsonFile(path / "manifest.json").value();
    CHECK(manifest["step"] == 23);
    CHECK(manifest["epochs_done"] == 1);
    CHECK(manifest["files"][0]["bytes"] == std::filesystem::file_size(path / "model.safetensors"));
}

TEST_CASE("Checkpoints come as often as asked for, the final one only once") {
    const TemporaryDirectory directory;
    const auto ranks = trainAsThreads(shortRun(4, 2), {.runDirectory = directory.path(), .stopAfter = {}});
    std::vector<std::string> paths;
    for (const auto& saved : ranks[0].all<CheckpointSaved>()) paths.push_back(saved.path);
    CHECK(paths == std::vector<std::string>{"checkpoints/step-00000046", "checkpoints/step-00000092"});
}

TEST_CASE("A stopped run keeps the weights it had") {
    const TemporaryDirectory directory;
    const auto ranks = trainAsThreads(
        shortRun(4, 0), {.runDirectory = directory.path(), .stopAfter = [](std::int64_t step) { return step == 4; }});
    REQUIRE(ranks[0].all<CheckpointSaved>().size() == 1);
    CHECK(ranks[0].all<CheckpointSaved>()[0].step == 5);
    CHECK(std::filesystem::exists(directory.path() / "checkpoints/step-00000005/manifest.json"));
}

TEST_CASE("A run directory that cannot be written is named") {
    const TemporaryDirectory directory;
    writeFileAtomically(directory.path() / "checkpoints", "a file in the way");
    CHECK_THROWS_AS(trainAsThreads(shortRun(1, 0), {.runDirectory = directory.path(), .stopAfter = {}}), IoError);
}
