// SPDX-License-Identifier: Apache-2.0
// Compares convolutions in both memory layouts with their formula, computed in double.
#include <algorithm>
#include <cmath>
#include <vector>

#include "backend/backend.h"
#include "sampling/random/torch_random.h"
#include "support/catch.h"

using namespace ringside;

namespace {

constexpr std::int64_t kImages = 7;  // number of images that 2 or 3 threads cannot divide evenly

// Images in PyTorch's order (channels first), and the conversion to and from the layout in memory.
struct Images {
    std::int64_t channels, height, width;
    ImageLayout layout;

    Shape shape() const { return {kImages, height, width, channels}; }
    std::size_t place(std::int64_t image, std::int64_t c, std::int64_t y, std::int64_t x) const {
        std::int64_t group = 1;  // number of adjacent channels in memory; 1 if the channels do not fill whole blocks
        if (layout == ImageLayout::kChannelsLast) group = channels;
        if (layout == ImageLayout::kChannelBlocks && channels % kChannelBlock == 0) group = kChannelBlock;
        const std::int64_t plane = image * (channels / group) + c / group;
        return static_cast<std::size_t>(((plane * height + y) * width + x) * group + c % group);
    }
};

// Operands and results of a forward and a backward pass.
struct Passes {
    Passes(const ConvolutionSpec& convolution, int threads, bool winograd = true)
        : spec(convolution), backend(makeCpuBackend(threads, winograd)) {
        for (const Tensor& tensor : {x, weight, bias, gradY}) TorchGenerator(++seed).normal(tensor.floats());
        const auto made = backend->makeConvolution(spec);
        made->forward(x, weight, bias, y);
        made->backwardParameters(x, gradY, gradWeight, gradBias);
        made->backwardInput(gradY, weight, gradX);
    }

    Tensor floats(const Shape& shape) const { return backend->allocate(shape, DType::kFloat32); }

    // Calls visit(position in x, position in the weight, position in y) for every product of the formula.
    template <class Visit>
    void forEachProduct(const Visit& visit) const {
        for (std::int64_t i = 0; i < kImages * spec.outChannels * spec.outHeight() * spec.outWidth(); ++i) {
            const std::int64_t column = i % spec.outWidth(), row = i / spec.outWidth() % spec.outHeight();
            const std::int64_t out = i / (spec.outWidth() * spec.outHeight()) % spec.outChannels;
            const std::int64_t image = i / (spec.outWidth() * spec.outHeight() * spec.outChannels);
            for (std::int64_t w = 0; w < spec.inChannels * spec.kernel * spec.kernel; ++w) {
                const std::int64_t in = w / (spec.kernel * spec.kernel);
                const std::int64_t fromRow = row * spec.stride - spec.padding + w / spec.kernel % spec.kernel;
                const std::int64_t fromColumn = column * spec.stride - spec.padding + w % spec.kernel;
                if (fromRow < 0 || fromRow >= spec.height || fromColumn < 0 || fromColumn >= spec.width) continue;
                visit(inside.place(image, in, fromRow, fromColumn),
                      static_cast<std::size_t>(out * spec.inChannels * spec.kernel * spec.kernel + w),
                      outside.place(image, out, row, column));
            }
        }
    }

    ConvolutionSpec spec;
    std::unique_ptr<Backend> backend;
    Images inside{spec.inChannels, spec.height, spec.width, spec.layout};
    Images outside{spec.outChannels, spec.outHeight(), spec.outWidth(), spec.layout};
    int seed = 0;
    Tensor x = floats(inside.shape()), gradX = floats(inside.shape());
    Tensor y = floats(outside.shape()), gradY = floats(outside.shape());
    Tensor weight = floats({spec.outChannels, spec.inChannels, spec.kernel, spec.kernel});
    Tensor gradWeight = floats(weight.shape);
    Tensor bias = floats({spec.outChannels}), gradBias = floats(bias.shape);
};

using Doubles = std::vector<double>;

Doubles zerosLike(const Tensor& tensor) {
    return Doubles(static_cast<std::size_t>(tensor.count()), 0.0);
}

// Returns the largest difference, in units of the root mean square of the expected values.
double distance(const Tensor& actual, const Doubles& expected) {
    double worst = 0, squares = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        worst = std::max(worst, std::abs(static_cast<double>(actual.floats()[i]) - expected[i]));
        squares += expected[i] * expected[i];
    }
    return worst / std::sqrt(squares / static_cast<double>(expected.size()));
}

// Copies a tensor once, because a sanitizer checks each access to a tensor and millions of them follow.
Doubles doublesOf(const Tensor& tensor) {
    return Doubles(tensor.floats().begin(), tensor.floats().end());
}

double worstDistance(const Passes& passes) {
    Doubles y = zerosLike(passes.y), gradX = zerosLike(passes.x), gradWeight = zerosLike(passes.weight);
    Doubles gradBias = zerosLike(passes.bias);
    const Doubles x = doublesOf(passes.x), weights = doublesOf(passes.weight), gradY = doublesOf(passes.gradY);
    const Doubles bias = doublesOf(passes.bias);
    passes.forEachProduct([&](std::size_t in, std::size_t weight, std::size_t out) {
        y[out] += x[in] * weights[weight];
        gradX[in] += gradY[out] * weights[weight];
        gradWeight[weight] += gradY[out] * x[in];
    });
    const Images& outside = passes.outside;
    for (std::int64_t i = 0; i < passes.y.count(); ++i) {
        const std::int64_t pixel = i / outside.channels, c = i % outside.channels;
        const std::size_t place = outside.place(pixel / (outside.width * outside.height), c,
                                                pixel / outside.width % outside.height, pixel % outside.width);
        y[place] += bias[static_cast<std::size_t>(c)];
        gradBias[static_cast<std::size_t>(c)] += gradY[place];
    }
    return std::max({distance(passes.y, y), distance(passes.gradX, gradX), distance(passes.gradWeight, gradWeight),
                     distance(passes.gradBias, gradBias)});
}

constexpr ImageLayout kBlocks = ImageLayout::kChannelBlocks;

}  // namespace

TEST_CASE("a convolution and its gradients follow their formula, channels last") {
    const ConvolutionSpec spec = GENERATE(ConvolutionSpec{3, 9, 7, 32, 3, 1, 1}, ConvolutionSpec{32, 8, 9, 48, 3, 1, 1},
                                          ConvolutionSpec{1, 8, 8, 5, 3, 1, 0}, ConvolutionSpec{4, 9, 7, 6, 3, 2, 1});
    CHECK(worstDistance(Passes(spec, 1, false)) < 5e-6);
}

TEST_CASE("a convolution and its gradients follow their formula in blocks of channels") {
    const ConvolutionSpec spec = GENERATE(
        ConvolutionSpec{3, 9, 7, 32, 3, 1, 1, true, kBlocks}, ConvolutionSpec{1, 8, 8, 16, 3, 1, 1, true, kBlocks},
        ConvolutionSpec{16, 9, 7, 48, 3, 2, 1, true, kBlocks}, ConvolutionSpec{32, 5, 5, 16, 1, 1, 0, true, kBlocks});
    CHECK(worstDistance(Passes(spec, 1)) < 5e-6);
}

TEST_CASE("gradients by Winograd's algorithm stay within a few roundings more of the formula") {
    const ConvolutionSpec spec = GENERATE(
        ConvolutionSpec{32, 16, 16, 64, 3, 1, 1, true, kBlocks}, ConvolutionSpec{48, 9, 14, 32, 3, 1, 1, true, kBlocks},
        ConvolutionSpec{32, 16, 17, 40, 3, 1, 1}, ConvolutionSpec{40, 8, 9, 32, 3, 1, 1});
    CHECK(worstDistance(Passes(spec, 1)) < 2e-5);
    CHECK(worstDistance(Passes(spec, 2)) < 2e-5);
}

TEST_CASE("Winograd's gradients of images with their channels last have the same bits with any number of threads") {
    const ConvolutionSpec spec{64, 19, 18, 32, 3, 1, 1};
    const Passes one(spec, 1), three(spec, 3);
    CHECK(std::ranges::equal(one.gradWeight.floats(), three.gradWeight.floats()));
    CHECK(std::ranges::equal(one.gradX.floats(), three.gradX.floats()));
    CHECK(std::ranges::equal(one.gradBias.floats(), three.gradBias.floats()));
}

TEST_CASE("a convolution has the same bits with any number of threads") {
    // Large enough to be divided into two pieces at least.
    const ConvolutionSpec spec =
        GENERATE(ConvolutionSpec{32, 17, 16, 32, 3, 1, 1, true, kBlocks}, ConvolutionSpec{32, 17, 16, 32, 3, 1, 1},
                 ConvolutionSpec{8, 24, 24, 32, 5, 1, 2}, ConvolutionSpec{64, 24, 24, 64, 1, 1, 0});
    const Passes one(spec, 1);
    for (const int threads : spec.layout == kBlocks ? std::vector{3} : std::vector{2, 3}) {
        const Passes more(spec, threads);
        CHECK(std::ranges::equal(one.y.floats(), more.y.floats()));
        CHECK(std::ranges::equal(one.gradX.floats(), more.gradX.floats()));
        CHECK(std::ranges::equal(one.gradWeight.floats(), more.gradWeight.floats()));
        CHECK(std::ranges::equal(one.gradBias.floats(), more.gradBias.floats()));
    }
}

TEST_CASE("without Winograd's algorithm outputs are equal and gradients are as exact as with a direct convolution") {
    const ConvolutionSpec spec{32, 16, 16, 64, 3, 1, 1, true, kBlocks};
    const Passes direct(spec, 1, false), winograd(spec, 1, true);
    CHECK(worstDistance(direct) < 5e-6);
    CHECK(std::ranges::equal(direct.y.floats(), winograd.y.floats()));
}
