// SPDX-License-Identifier: Apache-2.0
// Tests of strategies over NCCL on fake GPUs. The fake NCCL adds in the order of the ranks, as the communicator of
// threads does, so the weights must be equal to the last bit. A real NCCL may add in another order.
#include <algorithm>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "comm/in_process_store.h"
#include "config/leaves.h"
#include "support/choices.h"
#include "support/sha256_of.h"
#include "train/strategy_runs.h"
#include "train/threaded_nccl.h"

using namespace ringside;
using namespace ringside::test;

namespace {

struct OverNccl {
    std::vector<RankReport> ranks;
    std::string weights;                          // weights in the last checkpoint
    int treeSums = 0;                             // number of canonical sums on all fake GPUs
    std::vector<std::vector<std::string>> calls;  // calls of NCCL by each rank, in order
};

std::string weightsIn(const std::filesystem::path& directory, const std::vector<RankReport>& ranks) {
    const auto last = directory / ranks.at(0).all<CheckpointSaved>().back().path;
    return readFile(last / "model.safetensors", 1 << 24).value();
}

OverNccl trainOverNccl(const RunConfig& config, bool isAllDevice) {
    REQUIRE(config.validateForTraining().empty());
    InProcessStore store;
    std::mutex mutex;
    std::vector<std::shared_ptr<ThreadedNccl>> libraries;
    std::vector<std::shared_ptr<ThreadedGpu>> gpus;
    const TemporaryDirectory directory;
    RunOptions options{.runDirectory = directory.path(), .stopAfter = {}};
    options.devices = [&](Communicator& threads) {
        auto gpu = std::make_shared<ThreadedGpu>(isAllDevice);
        auto library = std::make_shared<ThreadedNccl>(gpu, threads);
        {
            const std::lock_guard lock(mutex);
            libraries.push_back(library);
            gpus.push_back(gpu);
        }
        NcclOptions nccl;
        nccl.computeStream = gpu->computeStream();
        NcclDependencies parts{library, gpu, std::make_shared<testing::FakeClock>()};
        return RankParts{makeCpuBackend(1), std::make_unique<NcclCommunicator>(std::move(parts), store, threads.rank(),
                                                                               threads.size(), nccl)};
    };
    OverNccl result;
    result.ranks = trainAsThreads(config, options);
    result.weights = weightsIn(directory.path(), result.ranks);
    for (const auto& gpu : gpus) result.treeSums += gpu->treeSums;
    for (const auto& library : libraries) result.calls.push_back(library->calls);
    return result;
}

void checkSameWeights(const RunConfig& config) {
    const TemporaryDirectory directory;
    const std::vector<RankReport> expected =
        trainAsThreads(config, {.runDirectory = directory.path(), .stopAfter = {}});
    const std::string weights = weightsIn(directory.path(), expected);
    for (const bool isAllDevice : {true, false}) {
        CAPTURE(isAllDevice);
        const OverNccl run = trainOverNccl(config, isAllDevice);
        for (const auto& calls : run.calls) CHECK_FALSE(calls.empty());
        CHECK(sha256Of(run.weights) == sha256Of(weights));
        CHECK((run.treeSums > 0) == (isCanonical(config) && config.parallel.worldSize > 1));
        REQUIRE(run.ranks.size() == expected.size());
        for (std::size_t rank = 0; rank < expected.size(); ++rank) {
            CAPTURE(rank);
            REQUIRE(run.ranks[rank].steps.size() == expected[rank].steps.size());
            CHECK(run.ranks[rank].steps.back().loss == expected[rank].steps.back().loss);
        }
    }
}

// Returns the number of NCCL groups that consist of `size` calls with this name and no other calls.
std::int64_t groupsOf(const std::vector<std::string>& calls, const std::string& name, std::size_t size) {
    std::int64_t found = 0;
    for (std::size_t at = 0; at < calls.size(); ++at) {
        if (calls[at] != "groupStart") continue;
        const std::size_t first = at + 1;
        while (calls[++at] != "groupEnd") {
        }
        const std::span group(calls.data() + first, at - first);
        found += group.size() == size && std::ranges::count(group, name) == static_cast<std::ptrdiff_t>(size);
    }
    return found;
}

}  // namespace

TEST_CASE("FSDP over NCCL trains the weights of the communicator of threads") {
    RunConfig config = blobs(GENERATE(2, 3), 8);
    for (const char* shard : {"optimizer", "gradients", "parameters"}) {
        for (const char* unit : {"layer", "whole"}) {
            CAPTURE(config.parallel.worldSize, shard, unit);
            checkSameWeights(sharded(config, shard, unit));
        }
    }
}

TEST_CASE("HSDP, accumulation, clipping and recomputation over NCCL train the same weights") {
    RunConfig config = accumulating(sharded(blobs(4, 4), "parameters", "layer"), 2);
    config.mesh.replicate = 2;
    config.optimizer.clipGradNorm = 0.5;
    checkSameWeights(config);
    choose(config.training.recompute, "all");
    checkSameWeights(config);
}

TEST_CASE("pipelines over NCCL train the same weights under every schedule") {
    for (const char* schedule : {"gpipe", "1f1b", "zero_bubble"}) {
        CAPTURE(schedule);
        checkSameWeights(pipelined(blobs(3, 16), schedule, 4));
    }
    RunConfig interleaved = blobs(2, 16);
    interleaved.model.hidden = {13, 9, 11};
    checkSameWeights(pipelined(interleaved, "interleaved", 4, 2));
}

TEST_CASE("a pipeline of sharded stages over NCCL trains the same weights") {
    RunConfig config = pipelined(blobs(4, 8), "1f1b", 2);
    config.mesh.shard = 2;
    config.optimizer.clipGradNorm = 0.5;
    checkSameWeights(config);
}

TEST_CASE("DDP over NCCL trains the same weights") {
    checkSameWeights(blobs(3, 8));
}

// On the fake GPUs, the body of the kernel forms the sums; on CPU ranks, the communicator of threads does.
TEST_CASE("a canonical reduction over NCCL trains the weights of CPU ranks with any number of ranks") {
    const auto canonical = [](RunConfig config) {
        config.training.reduction = ReductionOrder::kCanonical;
        config.optimizer.clipGradNorm = 0.5;
        return config;
    };
    for (const std::int64_t ranks : {1, 2, 4}) {
        CAPTURE(ranks);
        checkSameWeights(canonical(blobs(ranks, 24 / ranks)));
    }
    for (const std::int64_t ranks : {2, 4})
        for (const char* shard : {"optimizer", "gradients", "parameters"}) {
            CAPTURE(ranks, shard);
            checkSameWeights(canonical(sharded(blobs(ranks, 24 / ranks), shard, "layer")));
        }
    const OverNccl one = trainOverNccl(canonical(blobs(1, 24)), true);
    const OverNccl four = trainOverNccl(canonical(sharded(blobs(4, 6), "parameters", "whole")), true);
    CHECK(sha256Of(one.weights) == sha256Of(four.weights));
}

TEST_CASE("a canonical reduction over NCCL trains the weights of CPU ranks with replicas and stages") {
    const auto canonical = [](RunConfig config) {
        config.training.reduction = ReductionOrder::kCanonical;
        return config;
    };
    RunConfig hsdp = sharded(blobs(4, 6), "parameters", "layer");
    hsdp.mesh.replicate = 2;
    checkSameWeights(canonical(hsdp));
    RunConfig stages = pipelined(blobs(4, 12), "1f1b", 4);
    stages.mesh.replicate = 2;
    checkSameWeights(canonical(stages));
}

TEST_CASE("batch norm's statistics of a canonical reduction over NCCL are those of CPU ranks") {
    RunConfig config = blobs(2, 8);
    config.dataset.kind = DatasetKind::kDigits;
    config.model.kind = ModelKind::kResidualCnn;
    config.model.width = 4;
    config.model.depth = 1;
    config.sampler.dropLast = config.loader.dropLast = true;
    config.training.maxSteps = 4;
    config.training.reduction = ReductionOrder::kCanonical;
    checkSameWeights(config);
}

// Each of the model's three layers has a weight and a bias. A step gathers a layer before its forward and before its
// backward pass and scatters its gradients once; a unit that is the whole model is gathered once.
TEST_CASE("FSDP over NCCL gathers and scatters the tensors of a unit as one group") {
    constexpr std::int64_t kSteps = 2 * 256 / (2 * 8);
    const auto callsOf = [](const char* unit) {
        return trainOverNccl(sharded(blobs(2, 8), "parameters", unit), true).calls.front();
    };
    const std::vector<std::string> layers = callsOf("layer");
    CHECK(groupsOf(layers, "reduceScatter", 2) == 3 * kSteps);
    CHECK(std::ranges::count(layers, "reduceScatter") == 2 * 3 * kSteps);
    CHECK(groupsOf(layers, "allGather", 2) >= 2 * 3 * kSteps);
    const std::vector<std::string> whole = callsOf("whole");
    CHECK(groupsOf(whole, "reduceScatter", 6) == kSteps);
    CHECK(std::ranges::count(whole, "reduceScatter") == 6 * kSteps);
    CHECK(groupsOf(whole, "allGather", 6) >= kSteps);
}

TEST_CASE("HSDP over NCCL reduces the gradients of a unit over all replicas as one group") {
    constexpr std::int64_t kSteps = 2 * 256 / (4 * 4);
    RunConfig config = sharded(blobs(4, 4), "parameters", "layer");
    config.mesh.replicate = 2;
    CHECK(groupsOf(trainOverNccl(config, true).calls.front(), "allReduce", 2) == 3 * kSteps);
}
