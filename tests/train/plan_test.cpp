// SPDX-License-Identifier: Apache-2.0
// Tests of the plan of a strategy. Each process makes it once; both the built model and the predicted memory follow it.
#include "cost/rank_memory.h"
#include "nn/models/model_factory.h"
#include "plan/strategy_plan.h"
#include "support/catch.h"
#include "train/strategy_runs.h"

using namespace ringside;
using namespace ringside::test;

namespace {

// Returns the number of plans that the ranks in this process make while they train.
std::int64_t plansOf(const RunConfig& config) {
    REQUIRE(config.validateForTraining().empty());
    const std::int64_t before = plansMade();
    trainAsThreads(config);
    return plansMade() - before;
}

// Convolution, ReLU and pooling, which the engine computes as one layer on blocks of channels.
PlanSubject convolution() {
    RunConfig config;
    config.model.kind = ModelKind::kSimpleCnn;
    config.parallel.worldSize = 1;
    config.loader.batchSize = 8;
    return planSubject(config, loadDataset(config.dataset).value()).value();
}

std::size_t builtLayers(const StrategyPlan& plan) {
    const auto backend = makeCpuBackend(1);
    std::vector<Unit*> units;
    return makeModel(plan.layers, *backend, units)->layerCount();
}

}  // namespace

TEST_CASE("a rank makes its plan once, under each strategy") {
    CHECK(plansOf(blobs(1, 16)) == 1);
    CHECK(plansOf(accumulating(blobs(1, 16), 2)) == 1);
    RunConfig devices = blobs(1, 16);
    devices.parallel.strategy = StrategyKind::kDataParallel;
    devices.parallel.devices = 2;
    CHECK(plansOf(devices) == 1);
    // Each of these ranks is a process in a real run and a thread here.
    CHECK(plansOf(sharded(blobs(2, 16), "parameters", "layer")) == 2);
    CHECK(plansOf(pipelined(blobs(3, 16), "1f1b", 4)) == 3);
}

TEST_CASE("a layer that the plan fuses is fused in the built model and in its price") {
    const PlanSubject subject = convolution();
    const StrategyPlan apart = planStrategy(subject, false).value();
    const StrategyPlan fused = planStrategy(subject, true).value();
    // Separate layers: reordered images, two convolutions, each followed by a pooling that applies the ReLU, flatten,
    // and two linear layers with a ReLU between them. Fused layers: a convolution with its ReLU and pooling is one
    // layer, and images of one channel are not reordered.
    CHECK(builtLayers(apart) == 1 + 2 * 2 + 1 + 3);
    CHECK(builtLayers(fused) == 2 + 1 + 3);
    CHECK(predictMemory(subject, fused, 0).activations != predictMemory(subject, apart, 0).activations);
}

TEST_CASE("fusing one layer in a plan changes the built model and its price") {
    const PlanSubject subject = convolution();
    const StrategyPlan apart = planStrategy(subject, false).value();
    const StrategyPlan fused = planStrategy(subject, true).value();
    // The reordering of the images, the first convolution and its pooling become the fused convolution.
    StrategyPlan changed = apart;
    changed.layers.erase(changed.layers.begin(), changed.layers.begin() + 3);
    changed.layers.insert(changed.layers.begin(), fused.layers.front());
    changed.stageBegin = {0, changed.layers.size()};
    CHECK(builtLayers(changed) == builtLayers(apart) - 2);
    const auto activations = [&](const StrategyPlan& plan) { return predictMemory(subject, plan, 0).activations; };
    const std::int64_t gain = activations(apart) - activations(changed);
    CHECK(gain != 0);
    CHECK(activations(changed) != activations(fused));
    // The predicted bytes are those of the layers in the plan, for batches of 8 samples.
    const auto bytesOf = [](const StrategyPlan& plan, std::size_t count) {
        return activationBytes(plan.layers, 0, count, 8);
    };
    CHECK(gain == bytesOf(apart, 3) - bytesOf(changed, 1));
}
