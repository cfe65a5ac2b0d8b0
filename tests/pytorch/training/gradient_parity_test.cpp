// SPDX-License-Identifier: Apache-2.0
// Compares one forward and backward pass of SimpleCNN with PyTorch: the same initial weights must give the same
// gradients.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "base/system/files.h"
#include "nn/models/loss.h"
#include "nn/models/model_factory.h"
#include "pytorch/training/pytorch_answer.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

using namespace ringside;
using namespace ringside::test;

namespace {

struct OurPass {
    std::vector<float> initial;
    std::vector<float> gradients;
    double loss = 0;
};

OurPass passOf(const ModelConfig& config, const Shape& image, std::int64_t classes, std::int64_t rows, int threads) {
    const auto backend = makeCpuBackend(threads);
    const auto model = makeModel(config, image, classes, *backend).value();
    model->prepare(rows);
    model->initialise(0);
    OurPass pass;
    for (Parameter* parameter : model->parameters()) {
        const auto values = parameter->value.floats();
        pass.initial.insert(pass.initial.end(), values.begin(), values.end());
        parameter->gradient = backend->allocate(parameter->shape, DType::kFloat32);
    }
    Batch batch{
        backend->allocate({rows, image.count()}, DType::kFloat32), backend->allocate({rows}, DType::kInt64), {}};
    TorchGenerator(5).normal(batch.features.floats());
    for (std::int64_t i = 0; i < rows; ++i) batch.labels.integers()[static_cast<std::size_t>(i)] = i % classes;
    const auto loss = makeLoss(LossKind::kAuto, classes, 0, rows, *backend).value();
    for (const float value : loss->evaluate(model->forward(batch.features), batch, true).loss)
        pass.loss += static_cast<double>(value) / static_cast<double>(rows);
    model->backward(loss->gradient(), [](std::size_t) {});
    for (Parameter* parameter : model->parameters()) {
        const auto values = parameter->gradient.floats();
        pass.gradients.insert(pass.gradients.end(), values.begin(), values.end());
    }
    return pass;
}

struct GradientCase {
    Shape image;
    std::int64_t classes;
    std::int64_t rows;
    int threads;
};

void compareWithPytorch(const ModelConfig& config, const GradientCase& run) {
    INFO("images of shape " << run.image.text());
    const TemporaryDirectory directory;
    const std::filesystem::path path = directory.path() / "settings.json";
    Json settings = {
        {"image", {run.image[0], run.image[1], run.image[2]}}, {"classes", run.classes}, {"rows", run.rows}};
    if (!config.layers.empty()) settings["layers"] = Json::parse(config.layers);
    writeFileAtomically(path, settings.dump());
    const Json expected = runPytorch("gradients", path);
    const OurPass ours = passOf(config, run.image, run.classes, run.rows, run.threads);
    CHECK(ours.initial == expected["initial"].get<std::vector<float>>());
    CHECK(ours.loss == Approx(expected["loss"].get<double>()).epsilon(1e-5));
    const auto gradients = expected["gradients"].get<std::vector<float>>();
    REQUIRE(gradients.size() == ours.gradients.size());
    double largest = 0;
    double furthest = 0;
    for (std::size_t i = 0; i < gradients.size(); ++i) {
        largest = std::max(largest, std::abs(static_cast<double>(gradients[i])));
        furthest = std::max(furthest, std::abs(static_cast<double>(gradients[i] - ours.gradients[i])));
    }
    INFO("furthest " << furthest << " of " << largest);
    CHECK(furthest < 1e-4 * largest);
}

}  // namespace

TEST_CASE("SimpleCNN starts with PyTorch's weights, bit for bit, and has its gradients") {
    for (const GradientCase& run :
         {GradientCase{{1, 8, 8}, 10, 32, 1}, GradientCase{{3, 16, 16}, 10, 8, 2}, GradientCase{{3, 9, 14}, 3, 5, 1},
          // 37 images are processed in three parts if the CPU fuses convolution and pooling.
          GradientCase{{3, 32, 32}, 10, 37, 2}})
        compareWithPytorch({ModelKind::kSimpleCnn, {}}, run);
}

TEST_CASE("wide convolutions, by Winograd's algorithm where there is one, have PyTorch's gradients") {
    const char* layers = R"([{"kind": "conv2d", "out": 32, "kernel": 3, "padding": 1}, {"kind": "gelu"},
        {"kind": "conv2d", "out": 48, "kernel": 3, "padding": 1}, {"kind": "relu"}, {"kind": "max_pool2d", "kernel": 2},
        {"kind": "conv2d", "out": 16, "kernel": 3, "stride": 2}, {"kind": "flatten"}, {"kind": "linear"}])";
    for (const std::int64_t channels : {1, 3, 16})
        compareWithPytorch({ModelKind::kLayers, {}, layers}, {{channels, 9, 14}, 4, 6, 2});
}

TEST_CASE("models of layers start with PyTorch's weights, bit for bit, and have its gradients") {
    const GradientCase run{{2, 11, 9}, 4, 16, 1};
    compareWithPytorch(
        {ModelKind::kLayers, {}, R"([{"kind": "conv2d", "out": 6, "kernel": 5, "stride": 2, "padding": 2},
        {"kind": "gelu"}, {"kind": "conv2d", "out": 5, "kernel": 2}, {"kind": "max_pool2d", "kernel": 3},
        {"kind": "flatten"}, {"kind": "layer_norm"}, {"kind": "linear", "out": 20}, {"kind": "relu"},
        {"kind": "linear"}])"},
        run);
    compareWithPytorch(
        {ModelKind::kLayers, {}, R"([{"kind": "flatten"}, {"kind": "linear", "out": 30}, {"kind": "layer_norm"},
        {"kind": "gelu"}, {"kind": "linear"}])"},
        run);
}
