// SPDX-License-Identifier: Apache-2.0
#include "nn/layers/dropout.h"

#include <cmath>
#include <vector>

#include "backend/backend.h"
#include "nn/layer/value_hash.h"
#include "support/catch.h"

using namespace ringside;

namespace {

constexpr std::int64_t kCount = 100000;

// Dropout layer with its output and gradient for an input of ones.
struct Dropped {
    Dropped(double probability, const Pass& pass, std::uint64_t number = 0)
        : backend(makeCpuBackend(1)), layer(probability, number) {
        layer.prepare(*backend, {kCount}, 1);
        layer.begin(pass);
        const Tensor x = backend->allocate({1, kCount}, DType::kFloat32);
        backend->fill(x, 1);
        const auto y = layer.forward(x).floats();
        values.assign(y.begin(), y.end());
        const auto gradient = layer.backwardInput(x).floats();
        gradients.assign(gradient.begin(), gradient.end());
    }
    double mean() const {
        double sum = 0;
        for (const float value : values) sum += static_cast<double>(value);
        return sum / static_cast<double>(kCount);
    }
    // Returns the share of positions at which both outputs are zero or both are not.
    double agreement(const Dropped& other) const {
        std::size_t same = 0;
        for (std::size_t i = 0; i < values.size(); ++i) same += (values[i] == 0) == (other.values[i] == 0) ? 1 : 0;
        return static_cast<double>(same) / static_cast<double>(kCount);
    }

    std::unique_ptr<Backend> backend;
    Dropout layer;
    std::vector<float> values;
    std::vector<float> gradients;
};

}  // namespace

TEST_CASE("dropout drops its fraction and scales the other values to the same mean, as it does with gradients") {
    const Dropped quarter(0.25, {.training = true, .key = 7});
    for (const float value : quarter.values) CHECK((value == 0 || value == 1 / 0.75F));
    // The mean's standard deviation is sqrt(0.25 / 0.75 / 100000) = 0.0018.
    CHECK(std::abs(quarter.mean() - 1) < 5 * 0.0018);
    CHECK(quarter.gradients == quarter.values);
}

TEST_CASE("dropout changes nothing in evaluation or with probability 0") {
    CHECK(Dropped(0.5, {.training = false}).values == std::vector<float>(kCount, 1));
    CHECK(Dropped(0, {.training = true}).values == std::vector<float>(kCount, 1));
}

TEST_CASE("a dropout mask is the same for the same key and layer, and independent for another") {
    const Dropped one(0.5, {.training = true, .key = hashOf({0, 1, 2, 0})});
    CHECK(one.values == Dropped(0.5, {.training = true, .key = hashOf({0, 1, 2, 0})}).values);
    // Independent masks with probability one half agree at half of the positions; the standard deviation of this share
    // is 0.0016.
    for (const std::uint64_t key :
         {hashOf({1, 1, 2, 0}), hashOf({0, 2, 2, 0}), hashOf({0, 1, 3, 0}), hashOf({0, 1, 2, 1})})
        CHECK(std::abs(one.agreement(Dropped(0.5, {.training = true, .key = key})) - 0.5) < 5 * 0.0016);
    const Dropped otherLayer(0.5, {.training = true, .key = hashOf({0, 1, 2, 0})}, 1);
    CHECK(std::abs(one.agreement(otherLayer) - 0.5) < 5 * 0.0016);
}
