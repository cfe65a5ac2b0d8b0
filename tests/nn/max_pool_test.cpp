// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <vector>

#include "backend/backend.h"
#include "support/catch.h"

using namespace ringside;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct Pooled {
    std::vector<float> y;
    std::vector<float> gradX;  // gradient by x if the gradient by y is 1, 2, 3, ...
};

Pooled pool(const MaxPoolSpec& spec, const std::vector<float>& x, int threads = 1) {
    const auto backend = makeCpuBackend(threads);
    const auto images = static_cast<std::int64_t>(x.size()) / (spec.height * spec.width * spec.channels);
    const Shape in{images, spec.height, spec.width, spec.channels};
    const Shape out{images, spec.height / spec.kernel, spec.width / spec.kernel, spec.channels};
    const Tensor input = backend->allocate(in, DType::kFloat32);
    const Tensor gradX = backend->allocate(in, DType::kFloat32);
    const Tensor y = backend->allocate(out, DType::kFloat32);
    const Tensor gradY = backend->allocate(out, DType::kFloat32);
    const Tensor winners = backend->allocate(out, DType::kUInt8);
    backend->upload(x.data(), input);
    backend->fill(gradX, 99);
    for (std::size_t i = 0; i < gradY.floats().size(); ++i) gradY.floats()[i] = static_cast<float>(i + 1);
    backend->maxPoolForward(input, y, winners, spec);
    backend->maxPoolBackward(gradY, winners, gradX, spec);
    return {{y.floats().begin(), y.floats().end()}, {gradX.floats().begin(), gradX.floats().end()}};
}

}  // namespace

TEST_CASE("the first of equal maxima of a window gets the gradient") {
    // Two channels of a 2x4 image: 1 5 2 2 / 5 3 2 2 and 0 0 -4 -1 / 0 1 -2 -3.
    const std::vector<float> x{1, 0, 5, 0, 2, -4, 2, -1, 5, 0, 3, 1, 2, -2, 2, -3};
    const Pooled plain = pool({2, 2, 4, 2, false}, x);
    CHECK(plain.y == std::vector<float>{5, 1, 2, -1});
    CHECK(plain.gradX == std::vector<float>{0, 0, 1, 0, 3, 0, 0, 4, 0, 0, 0, 2, 0, 0, 0, 0});
    const Pooled afterReLU = pool({2, 2, 4, 2, true}, x);
    CHECK(afterReLU.y == std::vector<float>{5, 1, 2, 0});
    CHECK(afterReLU.gradX == std::vector<float>{0, 0, 1, 0, 3, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0});
}

TEST_CASE("rows and columns outside complete windows get no gradient") {
    const Pooled pooled = pool({1, 3, 5, 2, false}, {1, 2, 3, 4, 9, 5, 6, 7, 8, 9, 9, 9, 9, 9, 9});
    CHECK(pooled.y == std::vector<float>{6, 8});
    CHECK(pooled.gradX == std::vector<float>{0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("blocks of channels are pooled like images with these channels") {
    // Channel c of 32 in a 2x2 image is c + 1 at place c % 4 and 0 elsewhere.
    std::vector<float> x(2 * 4 * 16);
    std::vector<float> y(32), gradX(x.size());
    for (std::size_t c = 0; c < 32; ++c) {
        const std::size_t place = (c / 16 * 4 + c % 4) * 16 + c % 16;
        x[place] = y[c] = gradX[place] = static_cast<float>(c + 1);
    }
    const Pooled pooled = pool({32, 2, 2, 2, true, ImageLayout::kChannelBlocks}, x);
    CHECK(pooled.y == y);
    CHECK(pooled.gradX == gradX);
}

TEST_CASE("windows of three pool over nine values, with any number of threads") {
    std::vector<float> x(2 * 36);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
    for (int threads : {1, 3}) {
        const Pooled pooled = pool({1, 6, 6, 3, true}, x, threads);
        CHECK(pooled.y == std::vector<float>{14, 17, 32, 35, 50, 53, 68, 71});
        CHECK(pooled.gradX[14] == 1);
        CHECK(pooled.gradX[71] == 8);
    }
}

TEST_CASE("max-pooling keeps NaN") {
    for (const bool relu : {false, true})
        for (const std::int64_t kernel : {2, 3}) {
            std::vector<float> x(static_cast<std::size_t>(kernel * kernel), 1);
            x[1] = kNan;
            CHECK(std::isnan(pool({1, kernel, kernel, kernel, relu}, x).y[0]));
        }
}
