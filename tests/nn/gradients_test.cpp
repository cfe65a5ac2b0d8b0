// SPDX-License-Identifier: Apache-2.0
// Compares backward passes with finite differences of the forward pass.
#include <cmath>
#include <vector>

#include "backend/backend.h"
#include "nn/models/loss.h"
#include "nn/models/model_factory.h"
#include "support/catch.h"

using namespace ringside;

namespace {

constexpr std::int64_t kRows = 5;

// A small model with its loss. meanLoss() evaluates the mean loss at the current parameter values.
struct Fixture {
    Fixture(const ModelConfig& config, const Shape& sample, std::int64_t classes, std::int64_t targets,
            bool isSequence = false)
        : backend(makeCpuBackend(1)),
          model(makeModel(config, {.sample = sample, .outputs = classes + targets, .isSequence = isSequence}, *backend)
                    .value()),
          loss(makeLoss(LossKind::kAuto, classes, targets, kRows, *backend, isSequence ? sample.count() : 1).value()) {
        model->prepare(kRows);
        model->initialise(3);
        TorchGenerator generator(5);
        batch.features = backend->allocate({kRows, sample.count()}, DType::kFloat32);
        generator.normal(batch.features.floats());
        if (isSequence)
            for (float& token : batch.features.floats()) token = static_cast<float>(generator.randint(0, classes));
        if (classes > 0) {
            batch.labels = backend->allocate({kRows * (isSequence ? sample.count() : 1)}, DType::kInt64);
            for (auto& label : batch.labels.integers()) label = generator.randint(0, classes);
        } else {
            batch.targets = backend->allocate({kRows, targets}, DType::kFloat32);
            generator.normal(batch.targets.floats());
        }
        for (Parameter* parameter : model->parameters())
            parameter->gradient = backend->allocate(parameter->shape, DType::kFloat32);
    }

    double meanLoss() {
        double sum = 0;
        for (float value : loss->evaluate(model->forward(batch.features), batch, true).loss)
            sum += static_cast<double>(value);
        return sum / kRows;
    }

    void backward() {
        meanLoss();
        model->backward(loss->gradient(), [](std::size_t) {});
    }

    std::unique_ptr<Backend> backend;
    std::unique_ptr<Model> model;
    std::unique_ptr<Loss> loss;
    Batch batch;
};

// Returns the central difference of the mean loss. With this width, float32 forward passes cause an error of about
// 1e-4.
double difference(Fixture& fixture, float& value) {
    const float width = 5e-3F;
    const float kept = value;
    value = kept + width;
    const double above = fixture.meanLoss();
    value = kept - width;
    const double below = fixture.meanLoss();
    value = kept;
    return (above - below) / (2 * static_cast<double>(width));
}

void checkAllGradients(Fixture fixture) {
    fixture.backward();
    for (Parameter* parameter : fixture.model->parameters()) {
        const auto gradient = parameter->gradient.floats();
        const std::vector<float> expected(gradient.begin(), gradient.end());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            INFO(parameter->name << " [" << i << "]");
            CHECK(std::abs(difference(fixture, parameter->value.floats()[i]) - static_cast<double>(expected[i])) <
                  5e-4);
        }
    }
}

}  // namespace

TEST_CASE("gradients of one linear layer under the squared error are slopes of the loss") {
    checkAllGradients(Fixture({ModelKind::kToyLinear, {}}, {10}, 0, 10));
}

TEST_CASE("gradients of an MLP under cross-entropy are slopes of the loss") {
    checkAllGradients(Fixture({ModelKind::kMlp, {7, 6}}, {4}, 3, 0));
}

TEST_CASE("gradients of a convolution, GELU and layer norm are slopes of the loss") {
    const char* layers = R"([{"kind": "conv2d", "out": 3, "kernel": 3}, {"kind": "gelu"}, {"kind": "flatten"},
        {"kind": "layer_norm"}, {"kind": "linear"}])";
    checkAllGradients(Fixture({ModelKind::kLayers, {}, layers}, {2, 5, 4}, 3, 0));
}

TEST_CASE("gradients of residual blocks with batch norm are slopes of the loss") {
    const char* layers =
        R"([{"kind": "conv2d", "out": 3, "kernel": 3, "stride": 2, "padding": 1},
        {"kind": "residual", "layers": [{"kind": "conv2d", "out": 4, "kernel": 3, "stride": 2, "padding": 1, "bias": false},
            {"kind": "batch_norm2d"}, {"kind": "gelu"}, {"kind": "conv2d", "out": 4, "kernel": 1}],
         "shortcut": [{"kind": "conv2d", "out": 4, "kernel": 1, "stride": 2}, {"kind": "batch_norm2d"}]},
        {"kind": "residual", "layers": [{"kind": "conv2d", "out": 4, "kernel": 1}]},
        {"kind": "global_average_pool"}, {"kind": "linear"}])";
    checkAllGradients(Fixture({ModelKind::kLayers, {}, layers}, {2, 8, 8}, 3, 0));
}

TEST_CASE("gradients of a transformer are slopes of the loss") {
    ModelConfig config{.kind = ModelKind::kTransformer, .width = 4, .depth = 1};
    config.heads = 2;
    checkAllGradients(Fixture(config, {3}, 5, 0, true));
}
