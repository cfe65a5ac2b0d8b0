// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "backend/backend.h"
#include "nn/optimizer.h"
#include "support/catch.h"
#include "support/goldens.h"

using namespace ringside;
using ringside::testing::bitsOf;

namespace {

// What PyTorch 1.13.1 gave, recorded once.
const Json& optimizerGoldens() {
    static const Json json = readJsonFile(RINGSIDE_SOURCE_DIR "/tests/nn/goldens_torch_1_13.json").value();
    return json;
}

constexpr std::int64_t kGoldenCount = 19;  // the goldens' parameter is randn(19) of seed 1

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
    std::vector<std::string> bits;
    for (float value : parameter.value.floats()) bits.push_back(bitsOf(value));
    return bits;
}

}  // namespace

TEST_CASE("SGD, Adam and AdamW give PyTorch's bits") {
    std::size_t compared = 0;
    for (const Json& golden : optimizerGoldens()["optim"]) {
        INFO(golden["kind"] << " " << golden["args"].dump());
        OptimizerConfig config = configFrom(golden["args"]);
        config.kind = kindOf(golden);
        CHECK(parameterAfterThreeSteps(config) == golden["after3"].get<std::vector<std::string>>());
        ++compared;
    }
    CHECK(compared == 7);
}

TEST_CASE("Weight decay is fused into the gradient, with and without momentum") {
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

TEST_CASE("Nesterov without momentum is refused with the way out") {
    OptimizerConfig config;
    config.momentum = 0;
    config.nesterov = true;
    const auto backend = makeCpuBackend(1);
    const auto optimizer = makeOptimizer(config, {}, *backend);
    REQUIRE_FALSE(optimizer);
    CHECK(optimizer.problem().field == "optimizer.nesterov");
    CHECK(optimizer.problem().remedy.find("optimizer.momentum") != std::string::npos);
}
