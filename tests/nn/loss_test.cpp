// SPDX-License-Identifier: Apache-2.0
#include "nn/models/loss.h"

#include <cmath>
#include <limits>
#include <vector>

#include "backend/backend.h"
#include "support/catch.h"

using namespace ringside;

namespace {

Tensor uploaded(Backend& backend, const Shape& shape, const std::vector<float>& values) {
    const Tensor tensor = backend.allocate(shape, DType::kFloat32);
    backend.upload(values.data(), tensor);
    return tensor;
}

Batch labelled(Backend& backend, const std::vector<std::int64_t>& labels) {
    Batch batch;
    batch.labels = backend.allocate({static_cast<std::int64_t>(labels.size())}, DType::kInt64);
    backend.upload(labels.data(), batch.labels);
    return batch;
}

}  // namespace

TEST_CASE("cross-entropy follows its formula") {
    const auto backend = makeCpuBackend(1);
    const auto loss = makeLoss(LossKind::kAuto, 3, 0, 4, *backend).value();
    CHECK(loss->name() == "cross_entropy");
    const Tensor logits = uploaded(*backend, {2, 3}, {0, 0, 0, 1, 2, 4});
    const Batch batch = labelled(*backend, {1, 2});
    const SampleLosses losses = loss->evaluate(logits, batch, true);

    // Denominator of the softmax of the second row, whose values are shifted by its largest logit.
    const double sum = std::exp(-3.0) + std::exp(-2.0) + 1;
    CHECK(losses.loss[0] == Approx(std::log(3.0)).epsilon(1e-6));
    CHECK(losses.loss[1] == Approx(std::log(sum)).epsilon(1e-6));
    CHECK(losses.correct[0] == 0);  // of equal logits, the first class is the prediction
    CHECK(losses.correct[1] == 1);

    const auto gradient = loss->gradient().floats();  // (softmax - one hot) / rows
    CHECK(gradient[0] == Approx(1.0 / 6).epsilon(1e-6));
    CHECK(gradient[1] == Approx((1.0 / 3 - 1) / 2).epsilon(1e-6));
    CHECK(gradient[3] == Approx(std::exp(-3.0) / sum / 2).epsilon(1e-6));
    CHECK(gradient[5] == Approx((1 / sum - 1) / 2).epsilon(1e-6));
}

TEST_CASE("cross-entropy survives logits that would overflow an exponential") {
    const auto backend = makeCpuBackend(1);
    const auto loss = makeLoss(LossKind::kCrossEntropy, 2, 0, 1, *backend).value();
    const Tensor logits = uploaded(*backend, {1, 2}, {1000, -1000});
    CHECK(loss->evaluate(logits, labelled(*backend, {0}), true).loss[0] == 0);
    CHECK(loss->evaluate(logits, labelled(*backend, {1}), true).loss[0] == 2000);
    CHECK(loss->gradient().floats()[0] == Approx(1).epsilon(1e-6));
    CHECK(loss->gradient().floats()[1] == Approx(-1).epsilon(1e-6));
}

TEST_CASE("a logit that is not a number makes the loss not a number") {
    const auto backend = makeCpuBackend(1);
    const auto loss = makeLoss(LossKind::kCrossEntropy, 3, 0, 1, *backend).value();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float infinity = std::numeric_limits<float>::infinity();
    for (const std::vector<float>& row : {std::vector<float>{nan, 1, 2}, {1, nan, 2}, {1, 2, nan}, {infinity, 1, 2}})
        CHECK(std::isnan(loss->evaluate(uploaded(*backend, {1, 3}, row), labelled(*backend, {1}), false).loss[0]));
}

TEST_CASE("the exponential inside the softmax is accurate over its whole range") {
    const auto backend = makeCpuBackend(1);
    const auto loss = makeLoss(LossKind::kCrossEntropy, 2, 0, 1, *backend).value();
    for (float difference = 0; difference > -80; difference -= 0.37F) {
        const Tensor logits = uploaded(*backend, {1, 2}, {0, difference});
        loss->evaluate(logits, labelled(*backend, {0}), true);
        const double e = std::exp(static_cast<double>(difference));
        CHECK(loss->gradient().floats()[1] == Approx(e / (1 + e)).epsilon(3e-7));
    }
}

TEST_CASE("the squared error averages over every value") {
    const auto backend = makeCpuBackend(1);
    const auto loss = makeLoss(LossKind::kAuto, 0, 2, 2, *backend).value();
    CHECK(loss->name() == "mse");
    const Tensor prediction = uploaded(*backend, {2, 2}, {1, 2, 3, 4});
    Batch batch;
    batch.targets = uploaded(*backend, {2, 2}, {0, 0, 3, 2});
    const SampleLosses losses = loss->evaluate(prediction, batch, true);
    CHECK(losses.loss[0] == 2.5F);  // (1 + 4) / 2
    CHECK(losses.loss[1] == 2.0F);  // (0 + 4) / 2
    CHECK(losses.correct.empty());
    const auto gradient = loss->gradient().floats();  // 2 (p - t) / 4
    CHECK(std::vector<float>(gradient.begin(), gradient.end()) == std::vector<float>{0.5F, 1, 0, 1});
}

TEST_CASE("a loss that does not match the data set is refused") {
    const auto backend = makeCpuBackend(1);
    CHECK(makeLoss(LossKind::kMse, 10, 0, 1, *backend).problem().field == "training.loss");
    CHECK(makeLoss(LossKind::kCrossEntropy, 0, 3, 1, *backend).problem().field == "training.loss");
}

TEST_CASE("the loss and the accuracy of a sequence are means over its positions") {
    const auto backend = makeCpuBackend(1);
    const auto loss = makeLoss(LossKind::kAuto, 2, 0, 2, *backend, 2).value();
    // Two sequences of two positions; logits (0, 0) cost ln 2 and are right for label 0.
    const Tensor logits = backend->allocate({4, 2}, DType::kFloat32);
    logits.floats()[2] = 30;  // position 1 of the first sequence predicts label 0 with certainty
    Batch batch;
    batch.features = backend->allocate({2, 2}, DType::kFloat32);
    batch.labels = backend->allocate({2, 2}, DType::kInt64);
    batch.labels.integers()[3] = 1;
    const SampleLosses losses = loss->evaluate(logits, batch, true);
    REQUIRE(losses.loss.size() == 2);
    CHECK(losses.loss[0] == Approx(std::log(2.0) / 2));
    CHECK(losses.loss[1] == Approx(std::log(2.0)));
    CHECK(losses.correct[0] == 1);
    CHECK(losses.correct[1] == 0.5F);
    CHECK(loss->gradient().shape == Shape{4, 2});
    CHECK(loss->gradient().floats()[0] == Approx(-0.5 / 4));  // (softmax - 1) over four positions
}
