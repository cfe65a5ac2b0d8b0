// SPDX-License-Identifier: Apache-2.0
// Compares models with batch norm, residual blocks, embeddings and attention with PyTorch: initial weights, losses,
// gradients and buffers.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "base/system/files.h"
#include "nn/models/loss.h"
#include "nn/models/model_factory.h"
#include "nn/optimizers/sgd.h"
#include "pytorch/training/pytorch_answer.h"
#include "support/catch.h"
#include "support/choices.h"
#include "support/temporary_directory.h"

using namespace ringside;
using namespace ringside::test;

namespace {

struct DeepCase {
    ModelConfig model;
    ModelInterface interface;
    std::int64_t rows = 8;
    int threads = 1;
};

DeepCase images(const ModelConfig& model, const Shape& image, std::int64_t rows, int threads = 1) {
    return {model, {.sample = image, .outputs = 4}, rows, threads};
}

DeepCase text(const ModelConfig& model, std::int64_t positions, std::int64_t rows, int threads = 1) {
    return {model, {.sample = {positions}, .outputs = 11, .isSequence = true}, rows, threads};
}

Json settingsOf(const DeepCase& run) {
    Json settings = {{"model", nameOf(run.model.kind)},
                     {"classes", run.interface.outputs},
                     {"rows", run.rows},
                     {"width", run.model.width},
                     {"depth", run.model.depth},
                     {"heads", run.model.heads},
                     {"positions", run.interface.sample[0]},
                     {"image", run.interface.sample.sizes()}};
    if (!run.model.layers.empty()) settings["layers"] = Json::parse(run.model.layers);
    return settings;
}

Json runReference(const std::string& command, const Json& settings) {
    const TemporaryDirectory directory;
    writeFileAtomically(directory.path() / "settings.json", settings.dump());
    return runPytorch(command, directory.path() / "settings.json", "reference_models.py");
}

// A model of Ringside, with the same batch as in reference_models.py.
struct OurModel {
    explicit OurModel(const DeepCase& run)
        : backend(makeCpuBackend(run.threads)),
          model(makeModel(run.model, run.interface, *backend).value()),
          loss(makeLoss(LossKind::kAuto, run.interface.outputs, 0, run.rows, *backend, positionsOf(run.interface))
                   .value()) {
        model->prepare(run.rows);
        model->initialise(0);
        for (Parameter* parameter : model->parameters())
            parameter->gradient = backend->allocate(parameter->shape, DType::kFloat32);
        const std::int64_t labels = positionsOf(run.interface);
        batch.features = backend->allocate({run.rows, run.interface.sample.count()}, DType::kFloat32);
        batch.labels = backend->allocate({run.rows, labels}, DType::kInt64);
        if (!run.interface.isSequence) TorchGenerator(5).normal(batch.features.floats());
        for (std::int64_t i = 0; i < run.rows; ++i)
            for (std::int64_t t = 0; t < labels; ++t) fill(run, i, t, static_cast<std::size_t>(i * labels + t));
    }

    static std::int64_t positionsOf(const ModelInterface& interface) {
        return interface.isSequence ? interface.sample[0] : 1;
    }

    void fill(const DeepCase& run, std::int64_t i, std::int64_t t, std::size_t place) {
        const auto token = [&](std::int64_t at) { return (7 * i + 3 * at + at * at) % run.interface.outputs; };
        batch.labels.integers()[place] = run.interface.isSequence ? token(t + 1) : i % run.interface.outputs;
        if (run.interface.isSequence) batch.features.floats()[place] = static_cast<float>(token(t));
    }

    double forward(bool training) {
        model->begin({.training = training});
        double sum = 0;
        const auto losses = loss->evaluate(model->forward(batch.features), batch, training).loss;
        for (const float value : losses) sum += static_cast<double>(value);
        return sum / static_cast<double>(losses.size());
    }

    double step() {
        const double value = forward(true);
        model->backward(loss->gradient(), [](std::size_t) {});
        return value;
    }

    std::vector<double> values(Tensor Parameter::*of) const {
        std::vector<double> all;
        for (const Parameter* parameter : model->parameters())
            for (const float value : (parameter->*of).floats()) all.push_back(static_cast<double>(value));
        return all;
    }

    std::vector<double> buffers() const {
        std::vector<double> all;
        for (const Parameter* buffer : model->state()) {
            if (buffer->gradient) continue;
            if (buffer->value.type == DType::kInt64)
                all.push_back(static_cast<double>(buffer->value.integers()[0]));
            else
                for (const float value : buffer->value.floats()) all.push_back(static_cast<double>(value));
        }
        return all;
    }

    std::unique_ptr<Backend> backend;
    std::unique_ptr<Model> model;
    std::unique_ptr<Loss> loss;
    Batch batch;
};

void checkClose(const std::vector<double>& ours, const Json& expected, double tolerance) {
    const auto theirs = expected.get<std::vector<double>>();
    REQUIRE(ours.size() == theirs.size());
    double largest = 0;
    double furthest = 0;
    for (std::size_t i = 0; i < theirs.size(); ++i) {
        largest = std::max(largest, std::abs(theirs[i]));
        furthest = std::max(furthest, std::abs(theirs[i] - ours[i]));
    }
    INFO("furthest " << furthest << " of " << largest);
    CHECK(furthest <= tolerance * largest);
}

void compareOnePass(const DeepCase& run) {
    INFO(nameOf(run.model.kind) << " of samples of shape " << run.interface.sample.text() << ", " << run.threads
                                << " threads");
    const Json expected = runReference("pass", settingsOf(run));
    OurModel ours(run);
    CHECK(ours.values(&Parameter::value) == expected["initial"].get<std::vector<double>>());
    CHECK(ours.step() == Approx(expected["loss"].get<double>()).epsilon(1e-5));
    checkClose(ours.values(&Parameter::gradient), expected["gradients"], 1e-4);
    checkClose(ours.buffers(), expected["buffers"], 1e-6);
    CHECK(ours.forward(false) == Approx(expected["evaluated"].get<double>()).epsilon(1e-5));
}

ModelConfig sized(const std::string& kind, std::int64_t width, std::int64_t depth, std::int64_t heads = 4) {
    ModelConfig config;
    choose(config.kind, kind);
    config.width = width;
    config.depth = depth;
    config.heads = heads;
    return config;
}

}  // namespace

TEST_CASE("the residual CNN starts with PyTorch's weights, bit for bit, and has its gradients and statistics") {
    compareOnePass(images(sized("residual_cnn", 8, 1), {1, 8, 8}, 16));
    compareOnePass(images(sized("residual_cnn", 12, 2), {3, 17, 14}, 6, 2));
    for (const std::int64_t width : {16, 32})  // wide enough for images in blocks of channels
        compareOnePass(images(sized("residual_cnn", width, 1), {3, 17, 14}, 6, 2));
}

TEST_CASE("the transformer starts with PyTorch's weights, bit for bit, and has its gradients") {
    compareOnePass(text(sized("transformer", 16, 1, 1), 9, 3));
    compareOnePass(text(sized("transformer", 24, 3, 4), 20, 5, 2));
}

TEST_CASE("residuals, batch norm and average pooling in a list of layers have PyTorch's gradients") {
    ModelConfig config;
    config.kind = ModelKind::kLayers;
    config.layers = R"([{"kind": "residual", "layers": [{"kind": "relu"}, {"kind": "conv2d", "out": 2, "kernel": 3,
        "padding": 1}, {"kind": "batch_norm2d"}, {"kind": "dropout", "p": 0}]},
        {"kind": "residual", "layers": [{"kind": "conv2d", "out": 6, "kernel": 3, "padding": 1, "bias": false},
        {"kind": "relu"}, {"kind": "max_pool2d", "kernel": 2}], "shortcut": [{"kind": "conv2d", "out": 6, "kernel": 1,
        "stride": 2}]}, {"kind": "gelu"}, {"kind": "global_average_pool"}, {"kind": "linear"}])";
    compareOnePass(images(config, {2, 10, 8}, 7));
    config.layers = R"([{"kind": "conv2d", "out": 32, "kernel": 3, "padding": 1}, {"kind": "gelu"},
        {"kind": "residual", "layers": [{"kind": "conv2d", "out": 32, "kernel": 3, "padding": 1},
        {"kind": "batch_norm2d"}]}, {"kind": "relu"}, {"kind": "batch_norm2d"}, {"kind": "max_pool2d", "kernel": 2},
        {"kind": "global_average_pool"}, {"kind": "linear"}])";
    compareOnePass(images(config, {1, 10, 8}, 7));
}

TEST_CASE("deeper models keep PyTorch's losses while they learn") {
    for (const DeepCase& run :
         {images(sized("residual_cnn", 8, 1), {1, 8, 8}, 16), text(sized("transformer", 16, 2, 2), 12, 6)}) {
        INFO(nameOf(run.model.kind));
        Json settings = settingsOf(run);
        settings.update({{"steps", 20}, {"lr", 0.02}, {"precision", "float"}});
        const auto expected = runReference("train", settings)["losses"].get<std::vector<double>>();
        OurModel ours(run);
        OptimizerConfig config;
        config.lr = 0.02;
        Sgd optimizer(config, {}, ours.model->parameters(), *ours.backend);
        for (const double loss : expected) {
            CHECK(ours.step() == Approx(loss).epsilon(1e-4));
            optimizer.step();
        }
        CHECK(expected.back() < 0.9 * expected.front());
    }
}

TEST_CASE("deeper models have as many parameters as PyTorch's, under the same names") {
    for (const DeepCase& run :
         {images(sized("residual_cnn", 16, 3), {3, 32, 32}, 2), text(sized("transformer", 64, 2, 4), 64, 1)}) {
        INFO(nameOf(run.model.kind));
        const Json expected = runReference("count", settingsOf(run));
        CHECK(describeModel(run.model, run.interface).value().parameters() ==
              expected["parameters"].get<std::int64_t>());
        const OurModel ours(run);
        std::vector<std::string> names;
        for (const Parameter* one : ours.model->state()) names.push_back(one->name);
        auto theirs = expected["names"].get<std::vector<std::string>>();
        std::ranges::sort(names);
        std::ranges::sort(theirs);
        CHECK(names == theirs);
    }
}
