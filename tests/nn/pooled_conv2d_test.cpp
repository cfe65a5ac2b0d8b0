// SPDX-License-Identifier: Apache-2.0
// Compares the fused layer of convolution and pooling, which processes parts of the batch, with the two separate layers
// on the whole batch.
#include "nn/layers/pooled_conv2d.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "nn/layers/max_pool2d.h"
#include "support/catch.h"
#include "support/tensors.h"

using namespace ringside;
using testing::valuesOf;

namespace {

constexpr std::int64_t kPooledImages = 37;  // of 128 KiB after the convolution, so that 16 go together: 13, 13 and 11
constexpr ConvolutionSpec kConvolution{16, 32, 32, 32, 3, 1, 1, true, ImageLayout::kChannelBlocks};
constexpr MaxPoolSpec kPool{32, 32, 32, 2, true, ImageLayout::kChannelBlocks};
const Shape kImage{16, 32, 32};

struct Outcome {
    std::vector<float> y, gradX, gradWeight, gradBias;
};

Tensor noise(Backend& backend, const Shape& shape, std::int64_t seed) {
    const Tensor tensor = backend.allocate(shape, DType::kFloat32);
    TorchGenerator(seed).normal(tensor.floats());
    return tensor;
}

// Runs the layers in their order, forward and backward, on images of noise.
Outcome pass(const std::vector<Layer*>& layers, Backend& backend) {
    layers.front()->prepare(backend, kImage, kPooledImages);
    if (layers.size() > 1) layers[1]->prepare(backend, {kPool.channels, kPool.height, kPool.width}, kPooledImages);
    TorchGenerator generator(0);
    const std::vector<Parameter*> parameters = layers.front()->parameters();
    for (Parameter* parameter : parameters) bindValue(*parameter, backend);
    layers.front()->initialise(generator, backend);
    for (Parameter* parameter : parameters) parameter->gradient = backend.allocate(parameter->shape, DType::kFloat32);
    Tensor value = noise(backend, {kPooledImages, 32, 32, 16}, 1);
    for (Layer* layer : layers) value = layer->forward(value);
    Outcome outcome{valuesOf(value), {}, {}, {}};
    Tensor gradient = noise(backend, value.shape, 2);
    for (std::size_t i = layers.size(); i-- > 0;) {
        layers[i]->backwardParameters(gradient);
        gradient = layers[i]->backwardInput(gradient);
    }
    outcome.gradX = valuesOf(gradient);
    outcome.gradWeight = valuesOf(parameters[0]->gradient);
    outcome.gradBias = valuesOf(parameters[1]->gradient);
    return outcome;
}

// Checks that the values differ by rounding only: sums over the images are formed in another order.
void checkClose(const std::vector<float>& a, const std::vector<float>& b) {
    REQUIRE(a.size() == b.size());
    float largest = 0, furthest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        largest = std::max(largest, std::abs(a[i]));
        furthest = std::max(furthest, std::abs(a[i] - b[i]));
    }
    CHECK(furthest <= 1e-5F * largest);
}

}  // namespace

TEST_CASE("a pooled convolution on parts of a batch equals two layers on the whole batch") {
    const auto backend = makeCpuBackend(2);
    PooledConv2d inParts(kConvolution, kPool, "conv.");
    Conv2d convolution(kConvolution, "conv.");
    MaxPool2d pool(kPool);
    const Outcome parts = pass({&inParts}, *backend), whole = pass({&convolution, &pool}, *backend);
    CHECK(parts.y == whole.y);
    CHECK(parts.gradX == whole.gradX);
    checkClose(whole.gradWeight, parts.gradWeight);
    checkClose(whole.gradBias, parts.gradBias);
}
