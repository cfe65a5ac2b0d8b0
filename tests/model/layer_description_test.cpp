// SPDX-License-Identifier: Apache-2.0
#include "model/layer_description.h"

#include "support/catch.h"

using namespace ringside;

namespace {

// A layer, its text in PyTorch's notation, and its numbers counted by hand.
struct Counted {
    LayerDescription layer;
    std::string text;
    std::int64_t parameters;
    std::int64_t flops;
    std::int64_t activations;
};

void check(const Counted& expected) {
    CAPTURE(expected.text);
    CHECK(expected.layer.text() == expected.text);
    CHECK(expected.layer.parameters() == expected.parameters);
    CHECK(expected.layer.flops() == expected.flops);
    CHECK(expected.layer.activations() == expected.activations);
}

const Shape kImage = {3, 8, 8};      // 192 values
const Shape kSequence = {6, 4};      // 6 positions of 4 values
const LayerDescription kLinear8 = {  // 72 parameters, 128 operations
    .kind = LayerKind::kLinear,
    .outputs = 8,
    .input = {8},
    .output = {8}};

}  // namespace

TEST_CASE("layers with weights have PyTorch's text and the counts of their formulas") {
    check({{.kind = LayerKind::kLinear, .outputs = 10, .input = {64}, .output = {10}},
           "Linear(64, 10)",
           65 * 10,
           2 * 64 * 10,
           10});
    check({{.kind = LayerKind::kLinear, .outputs = 5, .input = kSequence, .output = {6, 5}},
           "Linear(4, 5)",
           5 * 5,
           6 * 2 * 4 * 5,
           30});
    const LayerDescription convolution{.kind = LayerKind::kConv2d,
                                       .outputs = 6,
                                       .kernel = 5,
                                       .stride = 2,
                                       .padding = 2,
                                       .input = kImage,
                                       .output = {6, 4, 4}};
    check({convolution, "Conv2d(3, 6, kernel_size=5, stride=2, padding=2)", 6 * (3 * 25 + 1), 2 * 3 * 25 * 96, 96});
    LayerDescription plain = convolution;
    plain.bias = false;
    check({plain, "Conv2d(3, 6, kernel_size=5, stride=2, padding=2, bias=False)", 6 * 3 * 25, 2 * 3 * 25 * 96, 96});
    check({{.kind = LayerKind::kConv2d, .outputs = 6, .kernel = 1, .input = kImage, .output = {6, 8, 8}},
           "Conv2d(3, 6, kernel_size=1)",
           6 * 4,
           2 * 3 * 384,
           384});
    check({{.kind = LayerKind::kLayerNorm, .input = kSequence, .output = kSequence}, "LayerNorm(4)", 8, 7 * 24, 24});
    check({{.kind = LayerKind::kBatchNorm2d, .input = kImage, .output = kImage}, "BatchNorm2d(3)", 6, 6 * 192, 192});
}

TEST_CASE("layers without weights have no parameters") {
    check({{.kind = LayerKind::kMaxPool2d, .kernel = 2, .input = kImage, .output = {3, 4, 4}},
           "MaxPool2d(2)",
           0,
           4 * 48,
           48});
    check({{.kind = LayerKind::kGlobalAveragePool, .input = kImage, .output = {3}}, "AdaptiveAvgPool2d(1)", 0, 192, 3});
    check({{.kind = LayerKind::kReLU, .input = kImage, .output = kImage}, "ReLU()", 0, 192, 0});
    check({{.kind = LayerKind::kGelu, .input = {7}, .output = {7}}, "GELU()", 0, 14, 7});
    check({{.kind = LayerKind::kDropout, .probability = 0.25, .input = {7}, .output = {7}}, "Dropout(0.25)", 0, 7, 7});
    check({{.kind = LayerKind::kFlatten, .input = kImage, .output = {192}}, "Flatten()", 0, 0, 0});
}

TEST_CASE("the layers of a transformer have the counts of their formulas") {
    check({{.kind = LayerKind::kEmbedding, .outputs = 4, .words = 65, .input = {6}, .output = kSequence},
           "Embedding(65, 4)",
           65 * 4,
           0,
           24});
    check({{.kind = LayerKind::kPositionEmbedding, .input = kSequence, .output = kSequence},
           "PositionEmbedding(6, 4)",
           24,
           24,
           24});
    // Parameters: Linear(4, 12) and Linear(4, 4). Operations at 6 positions: both projections, scores and weighted
    // values of 2 * 6 * 6 * 4 each, a softmax of 5 for each of 2 * 36 weights. Values: queries, keys, values, weighted
    // values and output of 24 each, and the weights.
    check({{.kind = LayerKind::kAttention, .heads = 2, .input = kSequence, .output = kSequence},
           "CausalSelfAttention(4, heads=2)",
           5 * 12 + 5 * 4,
           6 * 2 * 4 * 12 + 6 * 2 * 4 * 4 + 2 * 288 + 5 * 72,
           5 * 24 + 72});
}

TEST_CASE("a residual has the counts of its branches and adds their outputs") {
    LayerDescription residual{.kind = LayerKind::kResidual, .body = {kLinear8}, .input = {8}, .output = {8}};
    check({residual, "Residual()", 72, 128 + 8, 8});
    residual.probability = 0.5;
    residual.body = {kLinear8, kLinear8};
    residual.shortcut = {kLinear8};
    check({residual, "Residual(skip=0.5)", 3 * 72, 3 * 128 + 8, 3 * 8});
}

TEST_CASE("a layer that is not part of a model yet has no inputs") {
    CHECK(LayerDescription{.kind = LayerKind::kLinear, .outputs = 5}.text() == "Linear(0, 5)");
}

TEST_CASE("a layer of sequences without a sequence counts one position") {
    const LayerDescription positions{.kind = LayerKind::kPositionEmbedding, .input = {5}, .output = {5}};
    CHECK(positions.text() == "PositionEmbedding(1, 5)");
    const LayerDescription attention{.kind = LayerKind::kAttention, .heads = 2, .input = {4}, .output = {4}};
    CHECK(attention.activations() == 5 * 4 + 2);
}
