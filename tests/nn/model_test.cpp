// SPDX-License-Identifier: Apache-2.0
#include "nn/models/model.h"

#include <vector>

#include "backend/backend.h"
#include "nn/layers/linear.h"
#include "nn/layers/relu.h"
#include "nn/models/model_factory.h"
#include "support/catch.h"

using namespace ringside;

namespace {

std::vector<std::string> namesOf(const Model& model) {
    std::vector<std::string> names;
    for (const Parameter* parameter : model.parameters()) names.push_back(parameter->name);
    return names;
}

}  // namespace

TEST_CASE("an MLP has the names and shapes of nn.Sequential") {
    const auto backend = makeCpuBackend(1);
    const auto model = makeModel({ModelKind::kMlp, {128, 32}}, {64}, 10, *backend).value();
    model->prepare(8);
    CHECK(namesOf(*model) ==
          std::vector<std::string>{"0.weight", "0.bias", "2.weight", "2.bias", "4.weight", "4.bias"});
    CHECK(model->parameters()[0]->shape == Shape{128, 64});
    CHECK(model->parameters()[4]->shape == Shape{10, 32});
    CHECK(model->parameterCount() == 64 * 128 + 128 + 128 * 32 + 32 + 32 * 10 + 10);
    CHECK(model->describe() == "Linear(64, 128), ReLU(), Linear(128, 32), ReLU(), Linear(32, 10)");
}

TEST_CASE("the toy model is one linear layer called linear") {
    const auto backend = makeCpuBackend(1);
    const auto model = makeModel({ModelKind::kToyLinear, {}}, {10}, 10, *backend).value();
    model->prepare(1);
    CHECK(namesOf(*model) == std::vector<std::string>{"linear.weight", "linear.bias"});
}

TEST_CASE("SimpleCNN has the names and shapes of the tutorial's class") {
    const auto backend = makeCpuBackend(1);
    const auto model = makeModel({ModelKind::kSimpleCnn, {}}, {3, 32, 32}, 10, *backend).value();
    model->prepare(2);
    CHECK(namesOf(*model) == std::vector<std::string>{"conv1.weight", "conv1.bias", "conv2.weight", "conv2.bias",
                                                      "fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias"});
    CHECK(model->parameters()[0]->shape == Shape{32, 3, 3, 3});
    CHECK(model->parameters()[4]->shape == Shape{512, 64 * 8 * 8});
    CHECK(model->describe() ==
          "Conv2d(3, 32, kernel_size=3, padding=1), ReLU(), MaxPool2d(2), Conv2d(32, 64, kernel_size=3, padding=1), "
          "ReLU(), MaxPool2d(2), Flatten(), Linear(4096, 512), ReLU(), Linear(512, 10)");
}

TEST_CASE("gradients become ready from the last parameter to the first") {
    const auto backend = makeCpuBackend(1);
    const auto model = makeModel({ModelKind::kMlp, {3}}, {2}, 2, *backend).value();
    model->prepare(1);
    for (Parameter* parameter : model->parameters())
        parameter->gradient = backend->allocate(parameter->shape, DType::kFloat32);
    const Tensor output = model->forward(backend->allocate({1, 2}, DType::kFloat32));
    std::vector<std::size_t> order;
    model->backward(output, [&order](std::size_t parameter) { order.push_back(parameter); });
    CHECK(order == std::vector<std::size_t>{3, 2, 1, 0});
}
