// SPDX-License-Identifier: Apache-2.0
#include "model/layer_chain.h"

#include "support/catch.h"

using namespace ringside;

namespace {

using Layers = std::vector<LayerDescription>;

// Returns the output shape of a chain of layers, or the text of its problem.
std::string chained(const Layers& layers, const Shape& sample, std::int64_t words = 0) {
    LayerChain chain(sample, words);
    for (const LayerDescription& layer : layers) chain.add(layer);
    const Shape shape = chain.shape();
    const auto result = std::move(chain).result();
    return result ? shape.text() : result.problem().text();
}

LayerDescription linear(std::int64_t outputs) {
    return {.kind = LayerKind::kLinear, .outputs = outputs};
}

LayerDescription convolution(std::int64_t kernel, std::int64_t stride, std::int64_t padding) {
    return {.kind = LayerKind::kConv2d, .outputs = 4, .kernel = kernel, .stride = stride, .padding = padding};
}

LayerDescription pooling(std::int64_t kernel) {
    return {.kind = LayerKind::kMaxPool2d, .kernel = kernel};
}

const LayerDescription kRelu = {.kind = LayerKind::kReLU};
const LayerDescription kEmbedding = {.kind = LayerKind::kEmbedding, .outputs = 6};

}  // namespace

TEST_CASE("a linear layer replaces the last dimension of rows and of sequences") {
    CHECK(chained({linear(5)}, {7}) == "(5)");
    CHECK(chained({linear(5)}, {3, 7}) == "(3, 5)");
    CHECK(chained({{.kind = LayerKind::kLayerNorm}}, {3, 7}) == "(3, 7)");
    CHECK(chained({linear(5)}, {1, 3, 7}) ==
          "model layer 0, Linear(1, 5), needs one vector of values for each sample or position but receives the shape "
          "(1, 3, 7): add a flatten layer before "
          "this layer");
    CHECK(chained({{.kind = LayerKind::kFlatten}, linear(5)}, {1, 3, 7}) == "(5)");
}

TEST_CASE("a convolution has PyTorch's output size and needs an image as large as its kernel") {
    CHECK(chained({convolution(3, 1, 1)}, {3, 8, 6}) == "(4, 8, 6)");
    CHECK(chained({convolution(5, 2, 2)}, {3, 8, 11}) == "(4, 4, 6)");  // floor((n + 2 * 2 - 5) / 2) + 1
    CHECK(chained({convolution(5, 3, 0)}, {3, 8, 11}) == "(4, 2, 3)");
    CHECK(chained({convolution(5, 1, 0)}, {3, 5, 5}) == "(4, 1, 1)");
    const std::string least5 =
        "model layer 0, Conv2d(3, 4, kernel_size=5), needs images of at least 5 pixels per side but receives the "
        "shape ";
    CHECK(chained({convolution(5, 1, 0)}, {3, 4, 5}) == least5 + "(3, 4, 5): use larger images or fewer layers");
    CHECK(chained({convolution(5, 1, 0)}, {3, 5, 4}) == least5 + "(3, 5, 4): use larger images or fewer layers");
    CHECK(chained({convolution(5, 1, 1)}, {3, 3, 3}) == "(4, 1, 1)");
    CHECK_THAT(chained({convolution(5, 1, 1)}, {3, 3, 2}), containing("images of at least 3 pixels per side"));
    CHECK_THAT(chained({convolution(5, 1, 1)}, {3, 9}), containing("needs images (channels, height, width)"));
}

TEST_CASE("a pooling rounds down and needs an image as large as its kernel") {
    CHECK(chained({pooling(3)}, {2, 8, 9}) == "(2, 2, 3)");
    CHECK(chained({pooling(3)}, {2, 3, 3}) == "(2, 1, 1)");
    CHECK_THAT(chained({pooling(3)}, {2, 2, 3}), containing("images of at least 3 pixels per side"));
    CHECK_THAT(chained({pooling(3)}, {2, 3, 2}), containing("images of at least 3 pixels per side"));
    CHECK_THAT(chained({pooling(3)}, {9}), containing("needs images (channels, height, width)"));
}

TEST_CASE("layers of images keep the shape or reduce it to one value per channel") {
    CHECK(chained({{.kind = LayerKind::kBatchNorm2d}}, {3, 8, 6}) == "(3, 8, 6)");
    CHECK(chained({{.kind = LayerKind::kGlobalAveragePool}}, {3, 8, 6}) == "(3)");
    CHECK(chained({{.kind = LayerKind::kBatchNorm2d}}, {9}) ==
          "model layer 0, BatchNorm2d(9), needs images (channels, height, width) but receives the shape (9): place "
          "this layer "
          "before the flatten layer, where the values are still images");
}

TEST_CASE("an embedding is the first layer of a model of texts") {
    CHECK(chained({kEmbedding}, {5}, 65) == "(5, 6)");
    CHECK(chained({kEmbedding}, {5}, 1) == "(5, 6)");
    CHECK(chained({kEmbedding}, {5}) ==
          "model layer 0, Embedding(0, 6), needs the characters of a text but receives the shape (5): choose text as "
          "dataset.kind");
    const std::string first = "needs the characters of the data set but receives the shape ";
    CHECK_THAT(chained({kRelu, kEmbedding}, {5}, 65), containing("layer 1, Embedding(65, 6), " + first + "(5)"));
    CHECK_THAT(chained({kEmbedding}, {5, 2}, 65), containing("layer 0, Embedding(65, 6), " + first + "(5, 2)"));
}

TEST_CASE("attention needs a sequence whose values its heads divide") {
    const LayerDescription attention{.kind = LayerKind::kAttention, .heads = 3};
    CHECK(chained({kEmbedding, attention}, {5}, 65) == "(5, 6)");
    CHECK(chained({attention}, {5, 7}) ==
          "model layer 0, CausalSelfAttention(7, heads=3), needs values whose number is a multiple of its heads but "
          "receives "
          "the shape (5, 7): change the width or the heads");
    CHECK_THAT(chained({attention}, {6}), containing("needs a sequence (positions, values)"));
    const LayerDescription positions{.kind = LayerKind::kPositionEmbedding};
    CHECK(chained({positions}, {5, 7}) == "(5, 7)");
    CHECK_THAT(chained({positions}, {1, 5, 7}), containing("needs a sequence (positions, values)"));
}

TEST_CASE("the branches of a residual end with the same shape") {
    LayerDescription residual{.kind = LayerKind::kResidual, .body = {linear(5), kRelu, linear(8)}};
    CHECK(chained({residual}, {8}) == "(8)");
    CHECK(chained({kRelu, residual}, {7}) ==
          "model layer 1, Residual(), adds the shape (7) of its shortcut to (8) of its body: give the residual a "
          "shortcut that ends with the shape of its body");
    residual.shortcut = {linear(8)};
    CHECK(chained({residual}, {7}) == "(8)");
}

TEST_CASE("a residual has parameters in its body, and no branch ends with a relu") {
    LayerDescription residual{.kind = LayerKind::kResidual, .body = {{.kind = LayerKind::kGelu}}};
    CHECK(chained({residual}, {8}) ==
          "model layer 0, Residual(), needs a body with parameters but receives the shape (8): add a linear or conv2d "
          "layer to the body");
    const std::string noRelu =
        "needs no relu at the end of its body or shortcut but receives the shape (8): put the relu after";
    residual.body = {linear(8), kRelu};
    CHECK_THAT(chained({residual}, {8}), containing(noRelu));
    residual.body = {linear(8)};
    residual.shortcut = {kRelu};
    CHECK_THAT(chained({residual}, {8}), containing(noRelu));
    // One parameter is enough.
    residual.body = {{.kind = LayerKind::kConv2d, .outputs = 1, .kernel = 1, .bias = false}};
    residual.shortcut = {};
    CHECK(chained({residual}, {1, 4, 4}) == "(1, 4, 4)");
}

TEST_CASE("a problem inside a residual names the branch, and later layers add nothing") {
    const LayerDescription inner{.kind = LayerKind::kResidual, .body = {kRelu, linear(8), pooling(2)}};
    const LayerDescription outer{.kind = LayerKind::kResidual, .body = {linear(8)}, .shortcut = {linear(8), inner}};
    CHECK(chained({kRelu, outer, linear(3), pooling(2)}, {8}) ==
          "model layer 1, shortcut layer 1, body layer 2, MaxPool2d(2), needs images (channels, height, width) but "
          "receives the shape (8): choose a data set of images");
    CHECK_THAT(chained({{.kind = LayerKind::kResidual, .body = {kEmbedding}}}, {5}, 65),
               containing("body layer 0, Embedding(0, 6), needs the characters of a text"));
}

TEST_CASE("a chain of convolutions and poolings has the sizes that its short forms promise") {
    LayerChain chain({3, 8, 8}, 0);
    chain.convolution("conv1", 4);
    chain.relu();
    chain.maxPool();
    chain.flatten();
    chain.linear("fc", 2);
    const Layers layers = std::move(chain).result().value();
    REQUIRE(layers.size() == 5);
    CHECK(layers[0].text() == "Conv2d(3, 4, kernel_size=3, padding=1)");
    CHECK(layers[0].name == "conv1");
    CHECK(layers[2].input == Shape{4, 8, 8});
    CHECK(layers[2].output == Shape{4, 4, 4});
    CHECK(layers[4].text() == "Linear(64, 2)");
    CHECK(layers[4].name == "fc");
}
