// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "base/crypto/sha256.h"
#include "nn/layers/linear.h"
#include "nn/layers/relu.h"
#include "nn/models/model.h"
#include "support/catch.h"
#include "support/goldens.h"
#include "support/places.h"

using namespace ringside;
using ringside::testing::bitsOf;

namespace {

// Results of PyTorch 1.13.1, recorded once.
const Json& goldens() {
    static const Json json = readJsonFile(sourceFile("tests/nn/goldens_torch_1_13.json")).value();
    return json;
}

std::vector<std::string> bitsOfTensor(const Tensor& tensor) {
    std::vector<std::string> bits;
    for (float value : tensor.floats()) bits.push_back(bitsOf(value));
    return bits;
}

std::vector<std::string> expectedBits(const Json& values) {
    return values.get<std::vector<std::string>>();
}

const Json& golden(std::string_view module) {
    for (const Json& entry : goldens()["init"])
        if (entry["module"] == module) return entry;
    throw std::runtime_error("no golden for " + std::string(module));
}

std::unique_ptr<Model> linearModel(Backend& backend, std::int64_t in, std::int64_t out) {
    Layers layers;
    layers.push_back({std::make_unique<Linear>(in, out, ""), {.input = {in}, .output = {out}}});
    auto model = std::make_unique<Model>(backend, std::move(layers));
    model->prepare(1);
    return model;
}

std::string sha256Of(const Tensor& tensor) {
    Sha256 sum;
    sum.add(std::as_bytes(tensor.floats()));
    return sum.hex();
}

}  // namespace

TEST_CASE("a linear layer starts with PyTorch's bits") {
    const auto backend = makeCpuBackend(1);
    for (const char* module : {"Linear(4,3)", "Linear(7,5)"}) {
        const Json& expected = golden(module);
        const bool small = std::string(module) == "Linear(4,3)";
        const auto model = linearModel(*backend, small ? 4 : 7, small ? 3 : 5);
        model->initialise(expected["seed"].get<std::int64_t>());
        CHECK(bitsOfTensor(model->parameters()[0]->value) == expectedBits(expected["weight"]));
        CHECK(bitsOfTensor(model->parameters()[1]->value) == expectedBits(expected["bias"]));
    }
}

TEST_CASE("layers draw their weights in construction order, as nn.Sequential does") {
    const auto backend = makeCpuBackend(1);
    Layers layers;
    layers.push_back({std::make_unique<Linear>(4, 8, "0."), {.input = {4}, .output = {8}}});
    layers.push_back({std::make_unique<ReLU>(), {.input = {8}, .output = {8}}});
    layers.push_back({std::make_unique<Linear>(8, 2, "2."), {.input = {8}, .output = {2}}});
    Model model(*backend, std::move(layers));
    model.prepare(1);
    const Json& expected = golden("Sequential(Linear(4,8),ReLU,Linear(8,2))");
    model.initialise(expected["seed"].get<std::int64_t>());
    for (const Parameter* parameter : model.parameters())
        CHECK(bitsOfTensor(parameter->value) == expectedBits(expected[parameter->name]));
}

TEST_CASE("a wide layer starts with PyTorch's bits") {
    const auto backend = makeCpuBackend(1);
    const auto model = linearModel(*backend, 784, 10);
    model->initialise(0);
    const Json& expected = goldens()["init_sha256"][0];
    CHECK(sha256Of(model->parameters()[0]->value) == expected["weight"].get<std::string>());
    CHECK(sha256Of(model->parameters()[1]->value) == expected["bias"].get<std::string>());
}
