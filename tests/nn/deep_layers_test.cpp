// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <vector>

#include "backend/backend.h"
#include "nn/layers/batch_norm2d.h"
#include "nn/layers/embedding.h"
#include "nn/models/model_factory.h"
#include "support/catch.h"

using namespace ringside;

namespace {

std::vector<float> copyOf(const Tensor& tensor) {
    const auto values = tensor.floats();
    return {values.begin(), values.end()};
}

// Returns all gradients of a model after one pass with this number of threads.
std::vector<float> gradientsOf(const ModelConfig& config, const ModelInterface& interface, int threads) {
    constexpr std::int64_t kRows = 6;
    const auto backend = makeCpuBackend(threads);
    const auto model = makeModel(config, interface, *backend).value();
    model->prepare(kRows);
    model->initialise(1);
    for (Parameter* parameter : model->parameters())
        parameter->gradient = backend->allocate(parameter->shape, DType::kFloat32);
    const Tensor x = backend->allocate({kRows, interface.sample.count()}, DType::kFloat32);
    if (interface.isSequence)
        for (std::size_t i = 0; i < x.floats().size(); ++i)
            x.floats()[i] = static_cast<float>(i * i % static_cast<std::size_t>(interface.outputs));
    else
        TorchGenerator(2).normal(x.floats());
    const Tensor y = model->forward(x);
    model->backward(y, [](std::size_t) {});
    std::vector<float> all = copyOf(y);
    for (const Parameter* parameter : model->parameters()) {
        const auto gradient = copyOf(parameter->gradient);
        all.insert(all.end(), gradient.begin(), gradient.end());
    }
    return all;
}

}  // namespace

TEST_CASE("batch norm normalises by the batch while training and by its running statistics afterwards") {
    const auto backend = makeCpuBackend(1);
    BatchNorm2d layer(2, "bn.");
    layer.prepare(*backend, {2, 1, 2}, 2);
    TorchGenerator generator(0);
    for (auto* one : layer.parameters()) bindValue(*one, *backend);
    for (auto* one : layer.buffers()) bindValue(*one, *backend);
    layer.initialise(generator, *backend);
    const Tensor x = backend->allocate({2, 1, 2, 2}, DType::kFloat32);
    const std::vector<float> values{1, 10, 2, 10, 3, 10, 6, 10};  // channel 0: 1 2 3 6, channel 1: 10
    backend->upload(values.data(), x);
    layer.begin({.training = true});
    const auto y = copyOf(layer.forward(x));
    // mean 3, variance (4 + 1 + 0 + 9) / 4 = 3.5
    CHECK(y[0] == Approx(-2 / std::sqrt(3.5 + 1e-5)));
    CHECK(y[6] == Approx(3 / std::sqrt(3.5 + 1e-5)));
    CHECK(y[1] == 0);
    const auto buffers = layer.buffers();
    CHECK(copyOf(buffers[0]->value) == std::vector<float>{0.3F, 1});         // 0.1 * mean
    CHECK(buffers[1]->value.floats()[0] == Approx(0.9 + 0.1 * 14.0 / 3.0));  // n - 1 below
    CHECK(buffers[2]->value.integers()[0] == 1);
    layer.begin({.training = false});
    const auto evaluated = copyOf(layer.forward(x));
    CHECK(evaluated[6] == Approx((6 - 0.3) / std::sqrt(0.9 + 1.4 / 3 + 1e-5)));
    CHECK(buffers[2]->value.integers()[0] == 1);
}

TEST_CASE("batch norm refuses to train on one value a channel, as PyTorch does") {
    const auto backend = makeCpuBackend(1);
    BatchNorm2d layer(3, "bn.");
    layer.prepare(*backend, {3, 1, 1}, 2);
    for (auto* one : layer.parameters()) bindValue(*one, *backend);
    for (auto* one : layer.buffers()) bindValue(*one, *backend);
    const Tensor x = backend->allocate({1, 1, 1, 3}, DType::kFloat32);
    CHECK_THROWS_WITH(layer.forward(x), containing("expects more than 1 value per channel when training"));
}

TEST_CASE("an embedding's gradient adds up the rows of each token") {
    const auto backend = makeCpuBackend(1);
    Embedding layer(3, 2, "e.");
    layer.prepare(*backend, {2}, 2);
    Parameter& weight = *layer.parameters()[0];
    bindValue(weight, *backend);
    weight.gradient = backend->allocate({3, 2}, DType::kFloat32);
    const std::vector<float> table{1, 2, 3, 4, 5, 6}, tokens{2, 0, 2, 2}, slopes{1, 10, 2, 20, 3, 30, 4, 40};
    backend->upload(table.data(), weight.value);
    const Tensor x = backend->allocate({2, 2}, DType::kFloat32);
    backend->upload(tokens.data(), x);
    CHECK(copyOf(layer.forward(x)) == std::vector<float>{5, 6, 1, 2, 5, 6, 5, 6});
    const Tensor gradY = backend->allocate({4, 2}, DType::kFloat32);
    backend->upload(slopes.data(), gradY);
    layer.backwardParameters(gradY);
    CHECK(copyOf(weight.gradient) == std::vector<float>{2, 20, 0, 0, 8, 80});
}

TEST_CASE("deeper models give the same bits in every repetition") {
    ModelConfig cnn;
    cnn.kind = ModelKind::kResidualCnn;
    cnn.width = 8;
    cnn.depth = 1;
    const ModelInterface image{.sample = {3, 12, 12}, .outputs = 5};
    CHECK(gradientsOf(cnn, image, 1) == gradientsOf(cnn, image, 1));
    ModelConfig transformer;
    transformer.kind = ModelKind::kTransformer;
    transformer.width = 16;
    transformer.dropout = 0.1;
    const ModelInterface text{.sample = {20}, .outputs = 9, .isSequence = true};
    CHECK(gradientsOf(transformer, text, 1) == gradientsOf(transformer, text, 3));
}
