// SPDX-License-Identifier: Apache-2.0
// Queries cuDNN, on a machine without a GPU, for the plan of every convolution of every built-in model, with the
// properties of an H200. This proves that deterministic plans and their workspace exist; only a GPU can execute them.
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

#include "backend/cuda/cudnn/convolution_plan.h"
#include "config/run_config.h"
#include "model/model_description.h"
#include "support/catch.h"
#include "support/places.h"

using namespace ringside;
using namespace ringside::cuda;

namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::int64_t kGpuMemory = 150754820096;  // of the H200 in properties/h200.json, in bytes
constexpr std::int64_t kBudget = kGpuMemory / 8;   // workspace limit, the same as in cudnn_convolution.cpp
constexpr std::int64_t kUnlimited = kGpuMemory;

CudnnTarget h200() {
    std::ifstream file(sourceFile("tests/gpu/properties/h200.json"));
    std::stringstream text;
    text << file.rdbuf();
    return CudnnTarget::withProperties(text.str());
}

void collect(const std::vector<LayerDescription>& layers, std::vector<ConvolutionSpec>& found) {
    for (const LayerDescription& layer : layers) {
        collect(layer.body, found);
        collect(layer.shortcut, found);
        if (layer.kind == LayerKind::kConv2d)
            found.push_back({layer.input[0], layer.input[1], layer.input[2], layer.outputs, layer.kernel, layer.stride,
                             layer.padding});
    }
}

struct ModelCase {
    ModelConfig model;
    Shape image;
};

// Returns the built-in convolutional models with the image sizes of the built-in data sets (digits, MNIST, CIFAR, and
// larger images of folders), and the model of docs/models-and-optimisation.md.
std::vector<ModelCase> modelCases() {
    ModelConfig simple{.kind = ModelKind::kSimpleCnn};
    ModelConfig residual{.kind = ModelKind::kResidualCnn};
    ModelConfig wide{.kind = ModelKind::kResidualCnn, .width = 16, .depth = 3};  // He et al.'s ResNet-20
    ModelConfig layers{.kind = ModelKind::kLayers,
                       .layers = R"([{"kind": "conv2d", "out": 16, "kernel": 3, "stride": 1, "padding": 1},
                                     {"kind": "relu"}, {"kind": "conv2d", "out": 13, "kernel": 5, "stride": 2},
                                     {"kind": "flatten"}, {"kind": "linear"}])"};
    std::vector<ModelCase> cases;
    for (const ModelConfig& model : {simple, residual, wide, layers})
        for (const Shape& image : {Shape{1, 8, 8}, Shape{1, 28, 28}, Shape{3, 32, 32}, Shape{3, 64, 64}})
            cases.push_back({model, image});
    return cases;
}

std::vector<ConvolutionSpec> convolutions() {
    std::vector<ConvolutionSpec> all;
    for (const ModelCase& one : modelCases()) {
        const auto described = describeModel(one.model, one.image, 10);
        REQUIRE(described.ok());
        collect(described.value().layers, all);
    }
    std::map<std::vector<std::int64_t>, ConvolutionSpec> distinct;
    for (const ConvolutionSpec& one : all)
        distinct.insert(
            {{one.inChannels, one.height, one.width, one.outChannels, one.kernel, one.stride, one.padding}, one});
    std::vector<ConvolutionSpec> result;
    for (const auto& [key, spec] : distinct) result.push_back(spec);
    return result;
}

const char* nameOf(ConvolutionPass pass) {
    switch (pass) {
        case ConvolutionPass::kForward:
            return "forward";
        case ConvolutionPass::kParameters:
            return "weight gradient";
        case ConvolutionPass::kInput:
            return "input gradient";
    }
    return "";
}

std::string textOf(const ConvolutionProblem& problem) {
    std::stringstream text;
    text << nameOf(problem.pass) << ", " << problem.batch << " x " << problem.spec.inChannels << " x "
         << problem.spec.height << " x " << problem.spec.width << " to " << problem.spec.outChannels << ", kernel "
         << problem.spec.kernel << ", precision " << static_cast<int>(problem.precision) << ", order "
         << static_cast<int>(problem.order);
    return text.str();
}

std::vector<ConvolutionProblem> problems() {
    std::vector<ConvolutionProblem> all;
    for (const ConvolutionSpec& spec : convolutions())
        for (const std::int64_t batch : {1, 7, 128, 512, 4096})
            for (const ConvolutionPass pass :
                 {ConvolutionPass::kForward, ConvolutionPass::kParameters, ConvolutionPass::kInput})
                for (const Precision precision :
                     {Precision::kFloat32, Precision::kTf32, Precision::kBfloat16, Precision::kFloat16})
                    for (const MemoryOrder order : {MemoryOrder::kChannelsLast, MemoryOrder::kChannelsFirst})
                        all.push_back({pass, spec, batch, precision, order});
    return all;
}

// Returns the float32 convolutions, in the order of the program, for which the budget excludes the plan that cuDNN
// ranks first.
std::vector<std::string> slowedBy(std::int64_t budget, const CudnnTarget& target) {
    std::vector<std::string> slowed;
    for (const ConvolutionProblem& problem : problems()) {
        if (problem.precision != Precision::kFloat32 || problem.order != MemoryOrder::kChannelsLast) continue;
        const auto plan = findConvolutionPlan(target, problem, budget);
        const auto best = findConvolutionPlan(target, problem, kUnlimited);
        INFO(textOf(problem));
        REQUIRE(best.has_value());
        if (!plan || plan->engine != best->engine || plan->workspaceBytes != best->workspaceBytes)
            slowed.push_back(textOf(problem) + ", " + std::to_string(best->workspaceBytes / kMiB) + " MiB");
    }
    return slowed;
}

}  // namespace

TEST_CASE("cuDNN has a deterministic plan within the workspace budget for every convolution of every model") {
    const CudnnTarget target = h200();
    std::int64_t largest = 0;
    const std::vector<ConvolutionProblem> all = problems();
    for (const ConvolutionProblem& problem : all) {
        INFO(textOf(problem));
        const auto plan = findConvolutionPlan(target, problem, kBudget);
        REQUIRE(plan.has_value());
        CHECK(plan->workspaceBytes <= kBudget);
        if (problem.precision == Precision::kFloat32) CHECK_FALSE(plan->usesTensorCores);
        largest = std::max(largest, plan->workspaceBytes);
    }
    std::printf("%zu cases, %zu convolutions, largest workspace %lld MiB\n", all.size(), convolutions().size(),
                static_cast<long long>(largest / kMiB));
    CHECK(all.size() >= 1000);
}

TEST_CASE("the workspace budget excludes no plan that cuDNN ranks first") {
    const CudnnTarget target = h200();
    CHECK(slowedBy(kBudget, target) == std::vector<std::string>{});
    CHECK_FALSE(slowedBy(kMiB, target).empty());  // the comparison detects a budget that is too small
}

TEST_CASE("an input gradient of 3 channels over 32 x 32 pixels needs a workspace that grows with the batch") {
    const CudnnTarget target = h200();
    const ConvolutionSpec spec{3, 32, 32, 32, 3, 1, 1};
    const auto plan = findConvolutionPlan(target, {ConvolutionPass::kInput, spec, 512}, kBudget);
    REQUIRE(plan.has_value());
    // The plan copies images and results to channels-first order: 512 x (3 + 32) x 32 x 32 floats.
    CHECK(plan->workspaceBytes >= 512 * (3 + 32) * 32 * 32 * 4);
}
