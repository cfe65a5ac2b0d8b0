// SPDX-License-Identifier: Apache-2.0
// Tests of passes through parts of a model, in halves, with units (groups of layers that are gathered together) and
// with skipped blocks.
#include <cmath>
#include <vector>

#include "backend/backend.h"
#include "nn/layers/image_order.h"
#include "nn/models/model_factory.h"
#include "support/catch.h"

using namespace ringside;

namespace {

using Values = std::vector<float>;
constexpr std::int64_t kBatch = 3;

Values floatsOf(const Tensor& tensor) {
    const auto values = tensor.floats();
    return {values.begin(), values.end()};
}

// Five layers: linear, GELU, a residual block with a layer norm and a linear layer, ReLU, linear. Layers 1 and 3 have
// no parameters.
ModelConfig chainConfig(const std::string& skip = "0") {
    return {ModelKind::kLayers,
            {},
            R"([{"kind": "linear", "out": 6}, {"kind": "gelu"}, {"kind": "residual", "skip": )" + skip +
                R"(, "layers": [{"kind": "layer_norm"}, {"kind": "linear", "out": 6}]}, {"kind": "relu"},
                {"kind": "linear"}])"};
}

// A model of which only a range of layers is prepared and initialised, with memory for the gradients of this range.
struct Part {
    explicit Part(LayerRange range, const ModelConfig& config = chainConfig(), ModelBuild build = {})
        : backend(makeCpuBackend(1)),
          model(makeModel(config, {.sample = {4}, .outputs = 2}, *backend, build).value()),
          units(build.units) {
        model->prepare(kBatch, range);
        model->initialise(3);
        for (Parameter* one : model->parameters()) one->gradient = backend->allocate(one->shape, DType::kFloat32);
        input = backend->allocate({kBatch, model->input().count()}, DType::kFloat32);
        gradient = backend->allocate({kBatch, model->output().count()}, DType::kFloat32);
    }

    Values forward(const Values& x) {
        backend->upload(x.data(), input);
        return floatsOf(model->forward(input));
    }

    Tensor slopes(const Values& values) {
        backend->upload(values.data(), gradient);
        return gradient;
    }

    Values gradients() const {
        Values all;
        for (const Parameter* one : model->parameters()) {
            const Values values = floatsOf(one->gradient);
            all.insert(all.end(), values.begin(), values.end());
        }
        return all;
    }

    std::unique_ptr<Backend> backend;
    std::unique_ptr<Model> model;
    std::vector<Unit*> units;
    Tensor input;
    Tensor gradient;
};

Values samples() {
    Values x(kBatch * 4);
    TorchGenerator(5).normal(x);
    return x;
}

const Values kSlopes = {1, -2, 0.5F, 0.25F, -1, 3};

Values joined(Values first, const Values& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

}  // namespace

TEST_CASE("two parts of a model compute the results of the whole model") {
    Part whole({});
    const Values y = whole.forward(samples());
    whole.model->backward(whole.slopes(kSlopes), [](std::size_t) {});
    CHECK(whole.model->wholeParameters().size() == whole.model->parameters().size());
    for (std::size_t cut = 1; cut < 5; ++cut) {
        CAPTURE(cut);
        Part first({0, cut});
        Part second({cut, 99});
        CHECK(second.model->range() == LayerRange{cut, 5});
        CHECK(first.model->output() == second.model->input());
        CHECK(second.forward(first.forward(samples())) == y);
        std::vector<std::size_t> order;
        const Tensor passed =
            second.model->backward(second.slopes(kSlopes), [&order](std::size_t one) { order.push_back(one); });
        // Parameters are numbered within the part and become ready from the last one to the first.
        REQUIRE(order.size() == second.model->parameters().size());
        for (std::size_t i = 0; i < order.size(); ++i) CHECK(order[i] == order.size() - 1 - i);
        first.model->backward(first.slopes(floatsOf(passed)), [](std::size_t) {});
        CHECK(joined(first.gradients(), second.gradients()) == whole.gradients());
        CHECK(first.model->parameterCount() + second.model->parameterCount() == whole.model->parameterCount());
        CHECK(first.model->wholeState().size() == whole.model->state().size());
    }
}

TEST_CASE("a backward pass in two halves gives the gradients of one, each once") {
    for (const std::size_t begin : {std::size_t{0}, std::size_t{1}}) {
        Part once({begin, 5});
        Part halves({begin, 5});
        Values x(kBatch * static_cast<std::size_t>(once.model->input().count()));
        TorchGenerator(8).normal(x);
        CHECK(once.forward(x) == halves.forward(x));
        const Tensor passed = once.model->backward(once.slopes(kSlopes), [](std::size_t) {});
        std::vector<std::size_t> inputs;
        std::vector<std::size_t> weights;
        const Tensor passedByHalf =
            halves.model->backwardInputs(halves.slopes(kSlopes), [&](std::size_t one) { inputs.push_back(one); });
        if (begin > 0) CHECK(floatsOf(passedByHalf) == floatsOf(passed));
        halves.model->backwardWeights([&](std::size_t one) { weights.push_back(one); });
        CHECK(halves.gradients() == once.gradients());
        // The residual cannot be split: its weight and bias of two layers come with the first half.
        const std::size_t before = begin == 0 ? 2 : 0;
        CHECK(inputs == std::vector<std::size_t>{before + 3, before + 2, before + 1, before});
        const std::vector<std::size_t> last = {before + 5, before + 4};
        CHECK(weights == (begin == 0 ? std::vector<std::size_t>{7 - 0, 6 - 0, 1, 0} : last));
    }
}

TEST_CASE("values that are bound later are drawn as a model's own values") {
    Part own({});
    const auto backend = makeCpuBackend(1);
    const auto later = makeModel(chainConfig(), {.sample = {4}, .outputs = 2}, *backend).value();
    later->prepare(kBatch, {}, Model::Values::kBoundLater);
    std::size_t drawn = 0;
    later->initialise(3, [&](const Parameter& one) {
        CHECK(one.name == own.model->state()[drawn]->name);
        CHECK(floatsOf(one.value) == floatsOf(own.model->state()[drawn]->value));
        ++drawn;
    });
    CHECK(drawn == own.model->state().size());
    for (const Parameter* one : later->state()) CHECK_FALSE(one->value);
}

TEST_CASE("layers with statistics start with a weight of one and a bias of zero") {
    const ModelConfig config{ModelKind::kLayers,
                             {},
                             R"([{"kind": "batch_norm2d"}, {"kind": "flatten"}, {"kind": "layer_norm"},
                                 {"kind": "linear"}])"};
    const auto backend = makeCpuBackend(1);
    const auto model = makeModel(config, Shape{2, 1, 2}, 3, *backend).value();
    model->prepare(2);
    model->initialise(1);
    const auto valueOf = [&model](const std::string& name) {
        for (const Parameter* one : model->state())
            if (one->name == name) return floatsOf(one->value);
        return Values{};
    };
    CHECK(valueOf("0.weight") == Values{1, 1});
    CHECK(valueOf("0.bias") == Values{0, 0});
    CHECK(valueOf("0.running_mean") == Values{0, 0});
    CHECK(valueOf("0.running_var") == Values{1, 1});
    CHECK(valueOf("2.weight") == Values{1, 1, 1, 1});
    CHECK(valueOf("2.bias") == Values{0, 0, 0, 0});
    CHECK(model->describe() == "BatchNorm2d(2), Flatten(), LayerNorm(4), Linear(4, 3)");
}

TEST_CASE("each unit is entered before and left after its layers, but never left at the start of the model") {
    struct Recorder : UnitHooks {
        std::string text;
        void enter(std::size_t unit, Way way) override { text += mark('+', unit, way); }
        void leave(std::size_t unit, Way way) override { text += mark('-', unit, way); }
        static std::string mark(char sign, std::size_t unit, Way way) {
            return std::string(1, sign) + std::to_string(unit) + (way == Way::kForward ? "f " : "b ");
        }
    } recorder;
    Part part({}, {ModelKind::kMlp, {5}}, {.unit = ShardUnit::kLayer});
    REQUIRE(part.units.size() == 2);
    const Values silent = part.forward(samples());  // without hooks
    for (std::size_t i = 0; i < 2; ++i) part.units[i]->setHooks(recorder, i + 7);
    CHECK(part.forward(samples()) == silent);
    CHECK(recorder.text == "+7f -7f +8f -8f ");
    recorder.text.clear();
    part.model->backward(part.slopes(kSlopes), [](std::size_t) {});
    CHECK(recorder.text == "+8b -8b +7b ");
}

TEST_CASE("a skipped block passes its input on, has no gradients and is not used") {
    const ModelConfig config{ModelKind::kLayers,
                             {},
                             R"([{"kind": "residual", "skip": 0.5, "layers": [{"kind": "linear", "out": 4}]},
                                 {"kind": "residual", "layers": [{"kind": "linear", "out": 2}],
                                  "skip": 0.5, "shortcut": [{"kind": "linear", "out": 2}]}])"};
    Part part({}, config);
    std::vector<std::size_t> unused;
    part.model->setUnusedCallback([&unused](std::size_t one) { unused.push_back(one); });
    const auto run = [&](const Pass& pass) {
        part.model->begin(pass);
        const Values y = part.forward(samples());
        unused.clear();
        part.model->backward(part.slopes(kSlopes), [](std::size_t) {});
        return y;
    };
    const Values evaluated = run({.training = false, .key = 1});
    CHECK(unused.empty());
    int skips = 0;
    for (std::uint64_t key = 0; key < 400; ++key) {
        const Values y = run({.training = true, .key = key});
        const bool skipsFirst = std::ranges::count(unused, 0U) > 0;
        const bool skipsSecond = std::ranges::count(unused, 2U) > 0;
        CHECK(std::ranges::count(unused, 1U) == (skipsFirst ? 1 : 0));
        CHECK(std::ranges::count(unused, 4U) == 0);  // the shortcut is always used
        skips += (skipsFirst ? 1 : 0) + (skipsSecond ? 1 : 0);
        const auto& parameters = part.model->parameters();
        CHECK((floatsOf(parameters[0]->gradient) == Values(16)) == skipsFirst);
        CHECK((floatsOf(parameters[3]->gradient) == Values(2)) == skipsSecond);
        CHECK_FALSE(floatsOf(parameters[5]->gradient) == Values(2));
        if (!skipsFirst && !skipsSecond) CHECK(y == evaluated);
        if (!skipsFirst || !skipsSecond) continue;
        // If the second block is skipped, only its shortcut is computed: here by hand, from its weight and bias.
        const Values weight = floatsOf(parameters[4]->value);
        const Values x = samples();
        double first = static_cast<double>(floatsOf(parameters[5]->value)[0]);
        for (std::size_t i = 0; i < 4; ++i) first += static_cast<double>(weight[i]) * static_cast<double>(x[i]);
        CHECK(static_cast<double>(y[0]) == Approx(first).margin(1e-6));
    }
    CHECK(std::abs(skips - 400) < 6 * std::sqrt(800.0 / 4));  // six standard deviations of 800 draws of one half
}

TEST_CASE("the order of an image's values changes between the model and PyTorch and back") {
    const auto backend = makeCpuBackend(1);
    const auto tensorOf = [&backend](const Shape& shape, const Values& values) {
        const Tensor tensor = backend->allocate(shape, DType::kFloat32);
        backend->upload(values.data(), tensor);
        return tensor;
    };
    // Two images of 2 channels and 1 x 3 pixels; channels last: a pixel's values lie next to each other.
    const Values last = {1, 10, 2, 20, 3, 30, 4, 40, 5, 50, 6, 60};
    const Values first = {1, 2, 3, 10, 20, 30, 4, 5, 6, 40, 50, 60};
    ImageOrder flatten(ImageOrder::To::kFlat);
    flatten.prepare(*backend, {2, 1, 3}, 2);
    const Tensor flat = flatten.forward(tensorOf({2, 1, 3, 2}, last));
    CHECK(flat.shape == Shape{2, 6});
    CHECK(floatsOf(flat) == first);
    CHECK(floatsOf(flatten.backwardInput(tensorOf({2, 6}, first))) == last);
    ImageOrder toImages(ImageOrder::To::kImages);
    toImages.prepare(*backend, {2, 1, 3}, 2);
    CHECK(floatsOf(toImages.forward(tensorOf({2, 6}, first))) == last);
    CHECK(floatsOf(toImages.backwardInput(tensorOf({2, 1, 3, 2}, last))) == first);
    // With one channel or one pixel both orders are the same, and no value is copied.
    for (const Shape& shape : {Shape{1, 2, 3}, Shape{6, 1, 1}, Shape{6}}) {
        ImageOrder same(ImageOrder::To::kFlat);
        same.prepare(*backend, shape, 2);
        const Tensor x = tensorOf({2, 6}, Values(12, 1));
        CHECK(same.forward(x).data == x.data);
        CHECK(same.backwardInput(x).data == x.data);
    }
    // Two sequences of 3 positions with 2 values become two rows.
    ImageOrder sequence(ImageOrder::To::kFlat);
    sequence.prepare(*backend, {3, 2}, 2);
    const Tensor positions = tensorOf({6, 2}, Values(12, 1));
    CHECK(sequence.forward(positions).shape == Shape{2, 6});
    CHECK(sequence.backwardInput(tensorOf({2, 6}, Values(12, 1))).shape == Shape{6, 2});
}
