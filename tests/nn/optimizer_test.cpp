// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "nn/optimizers/optimizer.h"
#include "support/catch.h"
#include "support/choices.h"
#include "support/goldens.h"
#include "support/places.h"

using namespace ringside;
using ringside::testing::bitsOf;

namespace {

// Results of PyTorch 1.13.1, recorded once.
const Json& optimizerGoldens() {
    static const Json json = readJsonFile(sourceFile("tests/nn/goldens_torch_1_13.json")).value();
    return json;
}

// Number of values: the parameter of the recorded results is randn(19) with seed 1.
constexpr std::int64_t kGoldenCount = 19;

OptimizerConfig configFrom(const Json& arguments) {
    OptimizerConfig config;
    config.lr = arguments.value("lr", 0.1);
    config.momentum = arguments.value("momentum", 0.0);
    config.dampening = arguments.value("dampening", 0.0);
    config.weightDecay = arguments.value("weight_decay", 0.0);
    config.nesterov = arguments.value("nesterov", false);
    return config;
}

std::string kindOf(const Json& golden) {
    if (golden["kind"] == "SGD") return "sgd";
    return golden["kind"] == "Adam" ? "adam" : "adamw";
}

std::vector<std::string> bitsIn(const Tensor& tensor) {
    std::vector<std::string> bits;
    for (float value : tensor.floats()) bits.push_back(bitsOf(value));
    return bits;
}

std::vector<std::string> parameterAfterThreeSteps(const OptimizerConfig& config) {
    const auto backend = makeCpuBackend(1);
    Parameter parameter{"p",
                        {kGoldenCount},
                        backend->allocate({kGoldenCount}, DType::kFloat32),
                        backend->allocate({kGoldenCount}, DType::kFloat32)};
    TorchGenerator(1).normal(parameter.value.floats());
    const auto optimizer = makeOptimizer(config, {&parameter}, *backend).value();
    for (int seed : {100, 101, 102}) {
        TorchGenerator(seed).normal(parameter.gradient.floats());
        optimizer->step();
    }
    return bitsIn(parameter.value);
}

// Makes the same three steps with the loss scaling of float16, and a step with an infinite gradient before each of
// them.
std::vector<std::string> parameterAfterScaledSteps(const OptimizerConfig& config) {
    const auto backend = makeCpuBackend(1);
    Parameter parameter{"p",
                        {kGoldenCount},
                        backend->allocate({kGoldenCount}, DType::kFloat32),
                        backend->allocate({kGoldenCount}, DType::kFloat32)};
    TorchGenerator(1).normal(parameter.value.floats());
    const auto optimizer = makeOptimizer(config, {&parameter}, *backend, true).value();
    for (int seed : {100, 101, 102}) {
        backend->fill(parameter.gradient, std::numeric_limits<float>::infinity());
        optimizer->step();
        TorchGenerator(seed).normal(parameter.gradient.floats());
        optimizer->scaleLoss(parameter.gradient, 1);
        optimizer->step();
    }
    CHECK(optimizer->steps() == 6);
    const UpdateState progress = optimizer->progress();
    CHECK(progress.updates == 3);
    CHECK(progress.skippedSteps == 3);
    CHECK(progress.goodSteps == 1);
    CHECK(progress.lossScale == 65536.0 / 8);
    return bitsIn(parameter.value);
}

}  // namespace

TEST_CASE("SGD, Adam and AdamW give PyTorch's bits") {
    std::size_t compared = 0;
    for (const Json& golden : optimizerGoldens()["optim"]) {
        INFO(golden["kind"] << " " << golden["args"].dump());
        OptimizerConfig config = configFrom(golden["args"]);
        choose(config.kind, kindOf(golden));
        const auto expected = golden["after3"].get<std::vector<std::string>>();
        CHECK(parameterAfterThreeSteps(config) == expected);
        CHECK(parameterAfterScaledSteps(config) == expected);
        ++compared;
    }
    CHECK(compared == 7);
}

TEST_CASE("weight decay is fused into the gradient, with and without momentum") {
    // torch 1.13.1: SGD(lr=0.1, momentum=m, weight_decay=0.01) over the goldens' parameter and gradients.
    struct Case {
        double momentum;
        const char* first;
        const char* second;
        const char* last;
    };
    for (const Case& expected :
         {Case{0, "bfbd6837", "bf808111", "3e8ddd98"}, Case{0.9, "bfb8ba3e", "bf9c84ef", "3e7ec349"}}) {
        OptimizerConfig config;
        config.momentum = expected.momentum;
        config.weightDecay = 0.01;
        const auto bits = parameterAfterThreeSteps(config);
        CHECK(bits.front() == expected.first);
        CHECK(bits[1] == expected.second);
        CHECK(bits.back() == expected.last);
    }
}

TEST_CASE("clipped steps give PyTorch's results") {
    // torch 1.13.1: the goldens' parameter and gradients, clip_grad_norm_(p, 2) before each step.
    OptimizerConfig config;
    config.clipGradNorm = 2;
    config.lr = 0.1;
    config.momentum = 0.9;
    const auto sgd = parameterAfterThreeSteps(config);
    CHECK(sgd.front() == "bfbcafa8");
    CHECK(sgd[9] == "3fbe7fc4");
    CHECK(sgd.back() == "3e892a7c");
    config.kind = OptimizerKind::kAdam;
    config.lr = 1e-3;
    const auto adam = parameterAfterThreeSteps(config);
    CHECK(adam.front() == "bfc343d9");
    CHECK(adam[9] == "3f964330");
    CHECK(adam.back() == "3e8c54b7");
}

TEST_CASE("a new learning rate applies from the next step on, and restoring state keeps it") {
    const auto backend = makeCpuBackend(1);
    Parameter parameter{"p", {1}, backend->allocate({1}, DType::kFloat32), backend->allocate({1}, DType::kFloat32)};
    OptimizerConfig config;
    config.lr = 0.5;
    config.momentum = 0;
    const auto optimizer = makeOptimizer(config, {&parameter}, *backend).value();
    backend->fill(parameter.gradient, 1);
    optimizer->step();
    optimizer->setLearningRate(0.25);
    optimizer->step();
    CHECK(parameter.value.floats()[0] == -0.75F);
    UpdateState earlier;
    earlier.lr = 8;
    earlier.updates = 40;
    earlier.skippedSteps = 2;
    optimizer->restore(earlier);
    optimizer->step();
    CHECK(parameter.value.floats()[0] == -1);
    CHECK(optimizer->progress().updates == 41);
    CHECK(optimizer->steps() == 43);
}

TEST_CASE("Nesterov without momentum is refused with the remedy") {
    OptimizerConfig config;
    config.momentum = 0;
    config.nesterov = true;
    const auto backend = makeCpuBackend(1);
    const auto optimizer = makeOptimizer(config, {}, *backend);
    REQUIRE_FALSE(optimizer);
    CHECK(optimizer.problem().field == "optimizer.nesterov");
    CHECK(optimizer.problem().remedy.find("optimizer.momentum") != std::string::npos);
}
