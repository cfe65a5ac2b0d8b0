// SPDX-License-Identifier: Apache-2.0
// Compares training with real PyTorch: the same losses step by step, the same weights, and a file that PyTorch can
// read.
#include <cmath>
#include <string>

#include "base/json/json.h"
#include "base/system/files.h"
#include "pytorch/training/pytorch_answer.h"
#include "support/catch.h"
#include "support/choices.h"
#include "support/temporary_directory.h"
#include "train/training_run.h"

using namespace ringside;
using namespace ringside::test;

namespace {

Json optimizerOptions(const OptimizerConfig& optimizer) {
    Json options = {{"lr", optimizer.lr}, {"weight_decay", optimizer.weightDecay}};
    if (optimizer.kind != OptimizerKind::kSgd) {
        options["betas"] = {optimizer.beta1, optimizer.beta2};
        options["eps"] = optimizer.eps;
        return options;
    }
    options.update(
        {{"momentum", optimizer.momentum}, {"dampening", optimizer.dampening}, {"nesterov", optimizer.nesterov}});
    return options;
}

Json settingsOf(const RunConfig& config) {
    return {{"model", nameOf(config.model.kind)},
            {"seed", config.training.seed},
            {"world_size", config.parallel.worldSize},
            {"batch_size", config.loader.batchSize},
            {"epochs", config.training.epochs},
            {"accumulate_steps", config.training.accumulateSteps},
            {"clip_grad_norm", config.optimizer.clipGradNorm},
            {"warmup_epochs", config.schedule.warmupEpochs},
            {"cosine", config.schedule.kind == RateScheduleKind::kCosine},
            {"optimizer", nameOf(config.optimizer.kind)},
            {"options", optimizerOptions(config.optimizer)}};
}

// Largest relative difference of any rank's loss in any step, and largest absolute difference of any weight.
struct Deviation {
    double loss = 0;
    double weight = 0;
};

Deviation compare(const RunConfig& config, std::size_t steps) {
    const TemporaryDirectory directory;
    writeFileAtomically(directory.path() / "settings.json", settingsOf(config).dump());
    const Json expected = runPytorch("train", directory.path() / "settings.json");
    const auto ranks = trainAsThreads(config);
    REQUIRE(expected["losses"].size() == steps);
    REQUIRE(expected["parameters"].size() == ranks[0].parameters.size());
    Deviation deviation;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        REQUIRE(ranks[rank].steps.size() == steps);
        for (std::size_t step = 0; step < steps; ++step) {
            const double loss = expected["losses"][step][rank].get<double>();
            deviation.loss = std::max(deviation.loss, std::abs(ranks[rank].steps[step].loss - loss) / loss);
        }
    }
    for (std::size_t i = 0; i < ranks[0].parameters.size(); ++i)
        deviation.weight = std::max(deviation.weight, std::abs(static_cast<double>(ranks[0].parameters[i]) -
                                                               expected["parameters"][i].get<double>()));
    return deviation;
}

RunConfig experiment(std::int64_t worldSize, std::int64_t epochs) {
    RunConfig config;
    config.parallel.worldSize = worldSize;
    config.training.epochs = epochs;
    return config;
}

}  // namespace

TEST_CASE("the built-in experiment has PyTorch's losses at every world size") {
    struct Case {
        std::int64_t worldSize;
        std::int64_t epochs;
        std::size_t steps;
    };
    // 1437 samples in batches of 32 on 1, 2 and 4 ranks: 45, 23 and 12 steps per epoch.
    for (const Case& run : {Case{1, 3, 135}, Case{2, 6, 138}, Case{4, 10, 120}}) {
        INFO("world size " << run.worldSize);
        const Deviation deviation = compare(experiment(run.worldSize, run.epochs), run.steps);
        INFO("largest deviation: loss " << deviation.loss << " relative, weight " << deviation.weight);
        CHECK(deviation.loss < 1e-5);
        CHECK(deviation.weight < 1e-5);
    }
}

TEST_CASE("weight decay, nesterov and another seed keep PyTorch's losses") {
    RunConfig config = experiment(3, 4);
    config.training.seed = config.sampler.seed = 11;
    config.optimizer.weightDecay = 1e-3;
    config.optimizer.nesterov = true;
    config.optimizer.lr = 0.05;
    CHECK(compare(config, 60).loss < 1e-5);  // ceil(479 / 32) = 15 steps an epoch
}

TEST_CASE("Adam and AdamW keep PyTorch's losses, with clipping, warm-up and a cosine") {
    for (const char* kind : {"adam", "adamw"}) {
        INFO(kind);
        RunConfig config = experiment(2, 4);
        choose(config.optimizer.kind, kind);
        config.optimizer.lr = 3e-3;
        config.optimizer.weightDecay = 1e-2;
        config.optimizer.clipGradNorm = 0.5;
        config.schedule.kind = RateScheduleKind::kCosine;
        config.schedule.warmupEpochs = 2;
        CHECK(compare(config, 92).loss < 1e-5);  // 23 steps an epoch
    }
}

TEST_CASE("accumulated gradients keep PyTorch's losses, with a shorter group at the end of each epoch") {
    RunConfig config = experiment(2, 6);
    config.training.accumulateSteps = 4;
    config.optimizer.lr = 0.2;
    CHECK(compare(config, 36).loss < 1e-5);  // 23 micro-batches: 5 groups of 4 and one of 3
}

TEST_CASE("the toy model on synthetic data has PyTorch's losses") {
    RunConfig config = experiment(2, 5);
    config.dataset.kind = DatasetKind::kSynthetic;
    config.model.kind = ModelKind::kToyLinear;
    config.optimizer.lr = 0.01;
    CHECK(compare(config, 65).loss < 1e-5);  // ceil(410 / 32) = 13 steps an epoch
}

TEST_CASE("SimpleCNN on the digits keeps PyTorch's losses") {
    for (const std::int64_t worldSize : {1, 2}) {
        INFO("world size " << worldSize);
        RunConfig config = experiment(worldSize, 1);
        config.model.kind = ModelKind::kSimpleCnn;
        config.optimizer.lr = 0.02;  // with 0.1, rounding differences grow, because the first losses change too fast
        const Deviation deviation = compare(config, worldSize == 1 ? 45 : 23);
        INFO("largest deviation: loss " << deviation.loss << " relative, weight " << deviation.weight);
        CHECK(deviation.loss < 1e-4);
        CHECK(deviation.weight < 1e-4);
    }
}

TEST_CASE("PyTorch loads the saved weights and computes the reported validation result") {
    const TemporaryDirectory directory;
    const auto ranks = trainAsThreads(experiment(4, 3), {.runDirectory = directory.path(), .stopAfter = {}});
    const Json found = runPytorch("evaluate", directory.path() / "checkpoints" / "step-00000036" / "model.safetensors");
    const EpochResult reported = ranks[0].results("val").back();
    CHECK(reported.loss == Approx(found["loss"].get<double>()).epsilon(1e-5));
    CHECK(reported.accuracy == Approx(found["accuracy"].get<double>()).epsilon(1e-6));
}
