// SPDX-License-Identifier: Apache-2.0
// Tests of one process that divides its batches among devices, and of layers that ranks skip at random.
#include "parallel/data_parallel/data_parallel.h"

#include "train/replay.h"
#include "train/strategy_runs.h"

using namespace ringside;
using namespace ringside::test;

namespace {

RunConfig onDevices(RunConfig config, std::int64_t devices) {
    config.parallel.strategy = StrategyKind::kDataParallel;
    config.parallel.worldSize = 1;
    config.parallel.devices = devices;
    return config;
}

std::vector<float> endOf(const RunConfig& config) {
    REQUIRE(config.validateForTraining().empty());
    return trainAsThreads(config)[0].parameters;
}

double farthestApart(const std::vector<float>& one, const std::vector<float>& other) {
    REQUIRE(one.size() == other.size());
    double largest = 0;
    for (std::size_t i = 0; i < one.size(); ++i)
        largest = std::max(largest, std::abs(static_cast<double>(one[i]) - static_cast<double>(other[i])));
    return largest;
}

// Returns an experiment with a residual block that every rank skips in half of its steps.
RunConfig skipping(std::int64_t ranks) {
    RunConfig config = blobs(ranks, 8);
    config.model.kind = ModelKind::kLayers;
    config.model.layers =
        R"([{"kind": "linear", "out": 8},
            {"kind": "residual", "skip": 0.5, "layers": [{"kind": "linear", "out": 8}, {"kind": "relu"}, {"kind": "linear", "out": 8}]},
            {"kind": "linear"}])";
    return config;
}

}  // namespace

TEST_CASE("data_parallel splits a batch into torch.chunk's chunks") {
    using Sizes = std::vector<std::int64_t>;  // [c.numel() for c in torch.arange(n).chunk(devices)], PyTorch 1.13
    CHECK(chunkSizes(8, 4) == Sizes{2, 2, 2, 2});
    CHECK(chunkSizes(10, 4) == Sizes{3, 3, 3, 1});
    CHECK(chunkSizes(9, 4) == Sizes{3, 3, 3});
    CHECK(chunkSizes(5, 4) == Sizes{2, 2, 1});
    CHECK(chunkSizes(1, 4) == Sizes{1});
}

TEST_CASE("data_parallel with even chunks ends near ddp with the same number of ranks") {
    RunConfig config = blobs(1, 32);
    config.training.epochs = 1;
    for (const std::int64_t devices : {2, 4}) {
        RunConfig ddp = config;
        ddp.parallel.worldSize = devices;
        ddp.loader.batchSize = 32 / devices;
        CHECK(farthestApart(endOf(onDevices(config, devices)), endOf(ddp)) < 1e-6);
    }
}

TEST_CASE("data_parallel with uneven chunks equals one device, because its loss is that of the whole batch") {
    RunConfig config = blobs(1, 10);  // three devices get 4, 4 and 2 samples of a batch; the last batch has 6
    config.training.epochs = 1;
    CHECK(farthestApart(endOf(onDevices(config, 3)), endOf(config)) < 1e-6);
    config.training.accumulateSteps = 2;
    config.optimizer.clipGradNorm = 0.5;
    CHECK(farthestApart(endOf(onDevices(config, 3)), endOf(config)) < 1e-6);
}

// The devices work asynchronously, each on its own queue, and fail if they use the memory of another device.
TEST_CASE("data_parallel on devices with memories of their own ends with the bits of threads on a CPU") {
    const TemporaryDirectory directory;
    RunConfig blobsInPieces = accumulating(blobs(1, 10), 2);
    blobsInPieces.optimizer.clipGradNorm = 0.5;
    for (const RunConfig& one : {blobs(1, 24), blobsInPieces, text(1, 15, directory.path())}) {
        const RunConfig config = onDevices(one, 3);
        const std::vector<float> expected = endOf(config);
        int gpus = 0;
        RunOptions options{.runDirectory = {}, .stopAfter = {}};
        options.devices = [&gpus](Communicator& inner) {
            auto tape = std::make_shared<Tape>();
            tape->gpu = std::make_shared<LoggedGpu>();
            ++gpus;
            return RankParts{makeReplayBackend(tape), makeReplayCommunicator(tape, inner)};
        };
        CHECK(trainAsThreads(config, options)[0].parameters == expected);
        CHECK(gpus == 1);
    }
}

TEST_CASE("data_parallel on one device ends with the bits of one rank") {
    CHECK(endOf(onDevices(blobs(1, 10), 1)) == endOf(blobs(1, 10)));
}

TEST_CASE("under a canonical reduction data_parallel ends with the bits of every other strategy") {
    const auto canonical = [](RunConfig config) {
        config.training.reduction = ReductionOrder::kCanonical;
        config.optimizer.clipGradNorm = 0.5;
        return config;
    };
    const Ended one = train(canonical(blobs(1, 24)));
    for (const std::int64_t devices : {1, 2, 4, 8}) {
        CAPTURE(devices);
        checkSame(train(canonical(onDevices(blobs(1, 24), devices))), one);
    }
    const TemporaryDirectory directory;
    const RunConfig transformer = text(1, 16, directory.path());
    checkSame(train(canonical(onDevices(transformer, 4))), train(canonical(transformer)));
}

TEST_CASE("data_parallel logs the additional memory and work of device 0") {
    const auto ranks = trainAsThreads(onDevices(blobs(1, 32), 4));
    REQUIRE(ranks.size() == 1);
    std::string logged;
    for (const LogLine& line : ranks[0].all<LogLine>()) logged += line.text + "\n";
    CHECK_THAT(logged, Catch::Matchers::Contains("data_parallel: device 0 uses"));
    CHECK_THAT(logged, Catch::Matchers::Contains("device 0 works alone for"));
}

TEST_CASE("the world size of data_parallel counts devices; its process is one rank with whole batches") {
    RunConfig config = blobs(4, 32);
    config.parallel.strategy = StrategyKind::kDataParallel;
    CHECK(config.validateForTraining().empty());
    CHECK(config.dataRanks() == 1);
    CHECK(config.globalBatch() == 32);
    config.mesh.shard = 2;
    CHECK(config.validateForTraining().at(0).field == "mesh");
}

TEST_CASE("skipping a layer is an error with PyTorch's message unless find_unused_parameters is on") {
    CHECK_THROWS_WITH(trainAsThreads(skipping(1)),
                      Catch::Matchers::Contains("Expected to have finished reduction in the prior iteration") &&
                          Catch::Matchers::Contains("parallel.find_unused_parameters to true"));
    CHECK_THROWS(trainAsThreads(skipping(2)));
    RunConfig config = skipping(2);
    config.parallel.findUnusedParameters = true;
    const auto ranks = trainAsThreads(config);
    CHECK(ranks[0].parameters == ranks[1].parameters);
    CHECK(ranks[0].results("val").back().loss < ranks[0].results("val").front().loss);
    std::string logged;
    for (const LogLine& line : ranks[0].all<LogLine>()) logged += line.text + "\n";
    CHECK_THAT(logged, Catch::Matchers::Contains("find_unused_parameters: this rank skipped layers in"));
}

TEST_CASE("skipped layers count as zeros in fsdp, bit-identical to ddp with find_unused_parameters") {
    RunConfig config = skipping(2);
    config.parallel.findUnusedParameters = true;
    const Ended ddp = train(config);
    config.parallel.findUnusedParameters = false;
    checkSame(train(sharded(config, "parameters", "block")), ddp);
}

TEST_CASE("an invalid skip probability is refused, and so is find_unused_parameters without ddp") {
    RunConfig config = skipping(1);
    config.model.layers.replace(config.model.layers.find("0.5"), 3, "1.5");
    CHECK_THROWS_WITH(trainAsThreads(config), Catch::Matchers::Contains("has the skip 1.5"));
    RunConfig fsdp = sharded(blobs(2, 8), "parameters", "block");
    fsdp.parallel.findUnusedParameters = true;
    CHECK(fsdp.validateForTraining().at(0).field == "parallel.find_unused_parameters");
}
