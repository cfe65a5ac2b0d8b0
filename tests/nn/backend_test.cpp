// SPDX-License-Identifier: Apache-2.0
#include "backend/backend.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/catch.h"
#include "support/tensors.h"

using namespace ringside;
using testing::valuesOf;

namespace {

Tensor tensorOf(Backend& backend, const Shape& shape, const std::vector<float>& values) {
    const Tensor tensor = backend.allocate(shape, DType::kFloat32);
    backend.upload(values.data(), tensor);
    return tensor;
}

}  // namespace

TEST_CASE("memory is zeroed and starts at a multiple of 64 bytes") {
    const auto backend = makeCpuBackend(1);
    for (std::int64_t size : {0, 1, 17, 1000}) {
        const Tensor tensor = backend->allocate({size}, DType::kFloat32);
        CHECK(reinterpret_cast<std::uintptr_t>(tensor.data) % 64 == 0);
        for (float value : tensor.floats()) CHECK(value == 0);
    }
}

TEST_CASE("a tensor larger than the machine's memory is refused with its shape") {
    const auto backend = makeCpuBackend(1);
    CHECK_THROWS_AS(backend->allocate({1 << 20, 1 << 28}, DType::kFloat32), DeviceError);
    CHECK_THROWS_WITH(backend->allocate({1 << 20, 1 << 28}, DType::kFloat32), containing("(1048576, 268435456)"));
}

TEST_CASE("a linear map and its two gradients equal a manual calculation") {
    const auto backend = makeCpuBackend(1);
    const Tensor x = tensorOf(*backend, {2, 3}, {1, 2, 3, 4, 5, 6});
    const Tensor weight = tensorOf(*backend, {2, 3}, {1, 0, -1, 2, 1, 0});
    const Tensor bias = tensorOf(*backend, {2}, {10, 20});
    const Tensor y = backend->allocate({2, 2}, DType::kFloat32);
    backend->linearForward(x, weight, bias, y);
    CHECK(valuesOf(y) == std::vector<float>{8, 24, 8, 33});

    const Tensor gradY = tensorOf(*backend, {2, 2}, {1, 2, 3, 4});
    // Initial values that the pass must overwrite.
    const Tensor gradWeight = tensorOf(*backend, {2, 3}, {9, 9, 9, 9, 9, 9});
    const Tensor gradBias = tensorOf(*backend, {2}, {9, 9});
    backend->linearBackwardParameters(x, gradY, gradWeight, gradBias);
    CHECK(valuesOf(gradWeight) == std::vector<float>{13, 17, 21, 18, 24, 30});
    CHECK(valuesOf(gradBias) == std::vector<float>{4, 6});

    const Tensor gradX = backend->allocate({2, 3}, DType::kFloat32);
    backend->linearBackwardInput(gradY, weight, gradX);
    CHECK(valuesOf(gradX) == std::vector<float>{5, 2, -1, 11, 4, -3});
}

TEST_CASE("a product large enough for several threads is exact on small integers") {
    const auto backend = makeCpuBackend(2);
    constexpr std::int64_t kRows = 200, kIn = 150, kOut = 170;
    const Tensor x = backend->allocate({kRows, kIn}, DType::kFloat32);
    const Tensor weight = backend->allocate({kOut, kIn}, DType::kFloat32);
    for (std::size_t i = 0; i < x.floats().size(); ++i) x.floats()[i] = static_cast<float>(i % 5);
    for (std::size_t i = 0; i < weight.floats().size(); ++i) weight.floats()[i] = static_cast<float>(i % 7) - 3;
    const Tensor y = backend->allocate({kRows, kOut}, DType::kFloat32);
    backend->linearForward(x, weight, backend->allocate({kOut}, DType::kFloat32), y);
    std::int64_t wrong = 0;
    for (std::int64_t r = 0; r < kRows; ++r) {
        for (std::int64_t c = 0; c < kOut; ++c) {
            std::int64_t sum = 0;
            for (std::int64_t k = 0; k < kIn; ++k) sum += (r * kIn + k) % 5 * ((c * kIn + k) % 7 - 3);
            wrong += y.floats()[static_cast<std::size_t>(r * kOut + c)] != static_cast<float>(sum) ? 1 : 0;
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("ReLU passes no gradient at zero and keeps NaN") {
    const auto backend = makeCpuBackend(1);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const Tensor x = tensorOf(*backend, {4}, {-1, 0, 2, nan});
    backend->reluForward(x, x);
    CHECK(valuesOf(x.head(3)) == std::vector<float>{0, 0, 2});
    CHECK(std::isnan(x.floats()[3]));
    const Tensor gradient = tensorOf(*backend, {4}, {5, 6, 7, 8});
    backend->reluBackward(x, gradient, gradient);
    CHECK(valuesOf(gradient.head(3)) == std::vector<float>{0, 0, 7});
}

TEST_CASE("argmax returns the first of equal largest values") {
    const auto backend = makeCpuBackend(1);
    const Tensor values = tensorOf(*backend, {3, 3}, {1, 2, 3, 5, 5, 4, -3, -1, -1});
    const Tensor indices = backend->allocate({3}, DType::kInt64);
    backend->argmax(values, indices);
    CHECK(std::vector<std::int64_t>(indices.integers().begin(), indices.integers().end()) ==
          std::vector<std::int64_t>{2, 0, 1});
}

TEST_CASE("the squared norm adds every value for any length") {
    const auto backend = makeCpuBackend(1);
    for (std::int64_t size : {0, 1, 31, 32, 33, 100}) {
        const Tensor tensor = backend->allocate({size}, DType::kFloat32);
        for (std::int64_t i = 0; i < size; ++i) tensor.floats()[static_cast<std::size_t>(i)] = static_cast<float>(i);
        const auto n = static_cast<double>(size);
        CHECK(backend->squaredNorm(tensor) == Approx((n - 1) * n * (2 * n - 1) / 6));
    }
}

TEST_CASE("ranks share the CPUs and every rank gets one") {
    CHECK(threadsPerRank(1) >= 1);
    CHECK(threadsPerRank(1'000'000) == 1);
}
