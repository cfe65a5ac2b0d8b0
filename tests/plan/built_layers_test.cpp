// SPDX-License-Identifier: Apache-2.0
// Tests of the layers that are built for a description: fused, grouped, marked as units, and with images in blocks of
// channels.
#include "plan/built_layers.h"

#include "layers_of.h"

using namespace ringside;
using namespace ringside::test;

namespace {

using Kinds = std::vector<BuiltKind>;

Kinds kindsOf(const std::vector<BuiltLayer>& layers) {
    Kinds kinds;
    for (const BuiltLayer& layer : layers) kinds.push_back(layer.kind);
    return kinds;
}

std::vector<std::string> namesOf(const std::vector<BuiltLayer>& layers) {
    std::vector<std::string> names;
    for (const BuiltLayer& layer : layers) names.push_back(layer.name);
    return names;
}

const char* const kChain = R"([{"kind": "linear", "out": 6}, {"kind": "relu"}, {"kind": "linear", "out": 5},
                               {"kind": "gelu"}, {"kind": "linear"}])";
const char* const kBlocks = R"([{"kind": "linear", "out": 6},
    {"kind": "residual", "layers": [{"kind": "layer_norm"}, {"kind": "linear", "out": 6}]}, {"kind": "linear"}])";

// Returns a model with a convolution of 32 channels, a pooling and a linear layer.
std::string pooledList(const std::string& between = "", const std::string& kind = "max_pool2d\", \"kernel\": 2") {
    return R"([{"kind": "conv2d", "out": 32, "kernel": 3, "padding": 1}, )" + between + R"({"kind": ")" + kind +
           R"(}, {"kind": "flatten"}, {"kind": "linear"}])";
}

// Returns "U" for each unit among the layers. The units in the body of a residual block are in brackets.
std::string unitsOf(const std::vector<BuiltLayer>& layers) {
    std::string text;
    for (const BuiltLayer& layer : layers) {
        text += layer.isUnit ? 'U' : '-';
        if (!layer.body.empty()) text += "(" + unitsOf(layer.body) + ")";
        if (!layer.shortcut.empty()) text += "[" + unitsOf(layer.shortcut) + "]";
        if (!layer.group.empty()) text += "{" + unitsOf(layer.group) + "}";
    }
    return text;
}

std::string unitsOf(const std::string& list, ShardUnit unit) {
    return unitsOf(buildLayers(modelOf(list, {6}), {.unit = unit}));
}

}  // namespace

TEST_CASE("layers without images are built one by one, with a ReLU in the memory of its input") {
    const auto layers = buildLayers(modelOf(kChain, {4}), {});
    CHECK(namesOf(layers) ==
          std::vector<std::string>{"Linear(4, 6)", "ReLU()", "Linear(6, 5)", "GELU()", "Linear(5, 2)"});
    CHECK(describe(layers) == "Linear(4, 6), ReLU(), Linear(6, 5), GELU(), Linear(5, 2)");
    CHECK(layers[1].inPlace);
    // In a residual block, the first layer must keep its input, because the shortcut uses it.
    const auto block = buildLayers(
        modelOf(R"([{"kind": "residual", "layers": [{"kind": "relu"}, {"kind": "linear", "out": 4}, {"kind": "relu"},
                     {"kind": "linear", "out": 4}]}, {"kind": "linear"}])",
                {4}),
        {});
    REQUIRE(block[0].body.size() == 4);
    CHECK((!block[0].body[0].inPlace && block[0].body[2].inPlace));
    CHECK(block[0].describe() == "Residual(ReLU(), Linear(4, 4), ReLU(), Linear(4, 4))");
}

TEST_CASE("a flattened vector costs nothing, and a pooling applies the ReLU before it") {
    const auto flat = buildLayers(modelOf(R"([{"kind": "flatten"}, {"kind": "linear"}])", {1, 2, 3}), {});
    CHECK(namesOf(flat) == std::vector<std::string>{"Linear(6, 2)"});
    const auto layers = buildLayers(modelOf(pooledList(R"({"kind": "relu"}, )"), {2, 8, 8}), {});
    CHECK(kindsOf(layers) == Kinds{BuiltKind::kToImages, BuiltKind::kDescribed, BuiltKind::kDescribed,
                                   BuiltKind::kDescribed, BuiltKind::kDescribed});
    CHECK(layers[2].afterReLU);
    CHECK_FALSE(layers[1].afterReLU);
    CHECK(describe(layers) ==
          "Conv2d(2, 32, kernel_size=3, padding=1), ReLU(), MaxPool2d(2), Flatten(), Linear(512, 2)");
    CHECK_FALSE(buildLayers(modelOf(pooledList(), {2, 8, 8}), {})[2].afterReLU);
    for (const BuiltLayer& layer : layers) CHECK(layer.layout == ImageLayout::kChannelsLast);
}

TEST_CASE("on blocks of channels a convolution, a ReLU and a pooling are one layer") {
    const auto kindsOn = [](const std::string& list, const Shape& sample, bool blocks = true) {
        return kindsOf(buildLayers(modelOf(list, sample), {.channelBlocks = blocks}));
    };
    const Kinds fused{BuiltKind::kPooledConvolution, BuiltKind::kDescribed, BuiltKind::kDescribed};
    CHECK(kindsOn(pooledList(R"({"kind": "relu"}, )"), {2, 8, 8}) == fused);
    CHECK(kindsOn(pooledList(), {2, 8, 8}) == fused);
    CHECK(kindsOn(pooledList(R"({"kind": "gelu"}, )"), {2, 8, 8}).size() == 5);
    CHECK(kindsOn(pooledList(R"({"kind": "relu"}, )", "relu\""), {2, 8, 8}).size() == 5);
    // 16 channels fill a whole block, so such images are first reordered to blocks.
    CHECK(kindsOn(pooledList(), {16, 8, 8}).front() == BuiltKind::kToImages);
    CHECK(kindsOn(pooledList(), {16, 8, 8}).size() == 4);
    const auto layers = buildLayers(modelOf(pooledList(R"({"kind": "relu"}, )"), {16, 8, 8}), {.channelBlocks = true});
    for (const BuiltLayer& layer : layers) CHECK(layer.layout == ImageLayout::kChannelBlocks);
    CHECK((layers[1].afterReLU && layers[1].pooling.kernel == 2));
    CHECK(layers[1].describe() == "Conv2d(16, 32, kernel_size=3, padding=1), ReLU(), MaxPool2d(2)");
    CHECK(layers[0].describe().empty());
    // The text names the layers of the model, not those that are built.
    for (const bool blocks : {false, true})
        CHECK(describe(buildLayers(modelOf(pooledList(R"({"kind": "relu"}, )"), {16, 8, 8}), {.channelBlocks = blocks}))
                  .starts_with("Conv2d(16, 32, kernel_size=3, padding=1), ReLU(), MaxPool2d(2), "));
    // Layers over vectors have no image layout.
    CHECK(buildLayers(modelOf(kChain, {4}), {.channelBlocks = true})[0].layout == ImageLayout::kChannelsLast);
}

TEST_CASE("images are stored in blocks if all layers can and one convolution is wide enough") {
    const auto count = [](const std::string& list, const Shape& sample) {
        return convolutionsForBlocks(modelOf(list, sample)).size();
    };
    const auto list = [](const std::string& convolution, const std::string& others = "") {
        return "[{\"kind\": \"conv2d\", " + convolution + "}, " + others +
               R"({"kind": "flatten"}, {"kind": "linear"}])";
    };
    const std::string wide = R"("out": 32, "kernel": 3, "padding": 1)";
    CHECK(count(list(wide), {32, 8, 8}) == 1);
    CHECK(count(list(wide), {31, 8, 8}) == 0);
    CHECK(count(list(wide), {32, 7, 8}) == 0);
    CHECK(count(list(wide), {32, 8, 7}) == 0);
    CHECK(count(list(R"("out": 16, "kernel": 3, "padding": 1)"), {32, 8, 8}) == 0);
    CHECK(count(list(R"("out": 40, "kernel": 3, "padding": 1)"), {32, 8, 8}) == 0);  // no multiple of 16
    CHECK(count(list(R"("out": 32, "kernel": 5, "padding": 1)"), {32, 8, 8}) == 0);
    CHECK(count(list(R"("out": 32, "kernel": 3)"), {32, 8, 8}) == 0);
    CHECK(count(list(R"("out": 32, "kernel": 3, "padding": 1, "stride": 2)"), {32, 8, 8}) == 0);
    // One wide convolution is enough for the layout in blocks, but each layer over images must support it.
    const std::string narrow = R"({"kind": "conv2d", "out": 16, "kernel": 1}, )";
    CHECK(count(list(wide, narrow + R"({"kind": "batch_norm2d"}, {"kind": "gelu"}, )"), {32, 8, 8}) == 2);
    CHECK(count(list(wide, R"({"kind": "dropout", "p": 0.5}, )"), {32, 8, 8}) == 0);
    const std::string residual = R"({"kind": "residual", "layers": [{"kind": "conv2d", "out": 32, "kernel": 3,
        "padding": 1}], "shortcut": [{"kind": "conv2d", "out": 32, "kernel": 1}]}, )";
    CHECK(count(list(wide, residual), {32, 8, 8}) == 3);
    CHECK(count(list(wide, R"({"kind": "residual", "layers": [{"kind": "conv2d", "out": 24, "kernel": 1},
        {"kind": "conv2d", "out": 32, "kernel": 1}]}, )"),
                {32, 8, 8}) == 0);
    // The model begins with a convolution.
    CHECK(count(R"([{"kind": "batch_norm2d"}, {"kind": "conv2d", "out": 32, "kernel": 3, "padding": 1},
                    {"kind": "flatten"}, {"kind": "linear"}])",
                {32, 8, 8}) == 0);
    CHECK_FALSE(takesChannelBlocks(modelOf(kChain, {4})));
}

TEST_CASE("a residual has the sizes of its body and its shortcut, and the cost of its parameters") {
    const auto layers = buildLayers(modelOf(R"([{"kind": "residual", "layers": [{"kind": "linear", "out": 3},
        {"kind": "linear", "out": 5}], "shortcut": [{"kind": "linear", "out": 5}]}, {"kind": "linear"}])",
                                            {4}),
                                    {});
    const BuiltLayer& block = layers.front();
    CHECK((block.isBlock && block.parameters.size() == 6 && block.memory.size() == 6));
    CHECK(block.parameterCount() == (4 * 3 + 3) + (3 * 5 + 5) + (4 * 5 + 5));
    CHECK(block.parametersOfUnits == std::vector<std::size_t>{2, 2, 2});
    CHECK(block.cost == 60 + 4);
    CHECK((block.input == Shape{4} && block.output == Shape{5}));
    CHECK(block.describe() == "Residual(Linear(4, 3), Linear(3, 5); Linear(4, 5))");
    CHECK(activationBytes(layers, 0, 1, 2) == 4 * 2 * (3 + 4 + 5 + 3 + 5 + 4));
    // Each layer of this block has three buffers.
    const auto norms =
        buildLayers(modelOf(R"([{"kind": "residual", "layers": [{"kind": "conv2d", "out": 2, "kernel": 1},
        {"kind": "batch_norm2d"}], "shortcut": [{"kind": "batch_norm2d"}]}, {"kind": "flatten"}, {"kind": "linear"}])",
                            {2, 3, 5}),
                    {});
    CHECK((norms[1].buffers == 6 && norms[1].bufferBytes == 2 * (4 * 2 * 2 + 8)));
    CHECK(norms[1].cost == (2 * 2 + 2 + 4 + 4) * 15 + 30);
    const auto dropouts = buildLayers(modelOf(R"([{"kind": "residual", "layers": [{"kind": "linear", "out": 4},
        {"kind": "dropout", "p": 0.5}, {"kind": "dropout", "p": 0.5}, {"kind": "linear", "out": 4}]},
        {"kind": "dropout", "p": 0.1}, {"kind": "residual", "layers": [{"kind": "linear", "out": 4}]},
        {"kind": "linear"}])",
                                              {4}),
                                      {});
    CHECK(dropouts[0].ownBytes == 16);
    CHECK((dropouts[0].body[1].draw == 0 && dropouts[0].body[2].draw == 1 && dropouts[1].draw == 2));
    CHECK((dropouts[0].draw == 0 && dropouts[2].draw == 1));
}

TEST_CASE("units are layers, blocks, or blocks that can be skipped as a whole") {
    CHECK(unitsOf(kBlocks, ShardUnit::kLayer) == "U-(UU)U");
    CHECK(unitsOf(kBlocks, ShardUnit::kBlock) == "UU(--)U");
    CHECK(unitsOf(kBlocks, ShardUnit::kWhole) == "--(--)-");
    CHECK(unitsOf(kChain, ShardUnit::kLayer) == "U-U-U");
    const std::string skipped = R"([{"kind": "residual", "skip": 0.5, "layers": [{"kind": "linear", "out": 6},
        {"kind": "residual", "layers": [{"kind": "linear", "out": 6}]}],
        "shortcut": [{"kind": "linear", "out": 6}]}, {"kind": "linear"}])";
    CHECK(unitsOf(skipped, ShardUnit::kLayer) == "U(--(-))[-]U");
    CHECK(unitsOf(skipped, ShardUnit::kBlock) == "U(--(-))[-]U");
    CHECK(buildLayers(modelOf(skipped, {6}), {})[0].parametersOfUnits == std::vector<std::size_t>{6});
    const auto pooled =
        buildLayers(modelOf(pooledList(), {2, 8, 8}), {.channelBlocks = true, .unit = ShardUnit::kLayer});
    CHECK(unitsOf(pooled) == "U-U");
}

TEST_CASE("recomputation groups layers by the square root of their number, or by blocks") {
    const auto sizesOf = [](const std::vector<BuiltLayer>& layers) {
        std::vector<std::size_t> sizes;
        for (const BuiltLayer& layer : layers) sizes.push_back(layer.group.size());
        return sizes;
    };
    const auto built = [](const std::string& list, Recompute which) {
        return buildLayers(modelOf(list, {6}), {.recompute = which});
    };
    // The square root of 5 layers, rounded up, is 3.
    CHECK(sizesOf(built(kChain, Recompute::kAll)) == std::vector<std::size_t>{3, 2});
    CHECK(sizesOf(built(kChain, Recompute::kBlocks)) == std::vector<std::size_t>{0, 0, 0, 0, 0});
    CHECK(sizesOf(built(kBlocks, Recompute::kBlocks)) == std::vector<std::size_t>{0, 1, 0});
    CHECK(sizesOf(built(kBlocks, Recompute::kAll)) == std::vector<std::size_t>{2, 1});
    CHECK((backwardPerForward(Recompute::kNone) == 2 && backwardPerForward(Recompute::kBlocks) == 3 &&
           backwardPerForward(Recompute::kAll) == 3));
    const auto layers = built(kChain, Recompute::kAll);
    CHECK(namesOf(layers) == std::vector<std::string>{"Linear(6, 6) ...", "GELU() ..."});
    CHECK(describe(layers) == "Linear(6, 6), ReLU(), Linear(6, 5), GELU(), Linear(5, 2)");
    CHECK(layers[0].kind == BuiltKind::kGroup);
    CHECK(layers[0].parameters.size() == 4);
    CHECK(layers[0].parametersOfUnits == std::vector<std::size_t>{2, 2});
    CHECK((layers[0].input == Shape{6} && layers[0].output == Shape{5}));
    CHECK(layers[0].cost == (42 + 35) + 6);
    CHECK(layers[0].flops == 2 * 36 + 6 + 2 * 30);
    const auto single = built(kBlocks, Recompute::kBlocks);
    CHECK((single[1].name == single[1].group[0].name && single[1].isBlock && !layers[0].isBlock));
    // A group keeps its output and the gradient by its input. Groups share one memory for their activations: here 6 and
    // 6 values of the first linear layer, 5 and 6 of the second, then GELU and the last one in the same blocks.
    CHECK(activationBytes(layers, 0, 2, 1) == 4 * (5 + 6) + 4 * (2 + 5) + 4 * (6 + 6 + 5 + 6));
    CHECK(activationBytes(layers, 1, 2, 1) == 4 * (2 + 5) + 4 * (5 + 5 + 2 + 5));
    CHECK(activationBytes(layers, 0, 2, 3) == 3 * activationBytes(layers, 0, 2, 1));
}

TEST_CASE("groups of images count the positions of their first layer with parameters") {
    const auto layers =
        buildLayers(modelOf(R"([{"kind": "residual", "layers": [{"kind": "conv2d", "out": 2, "kernel": 1},
        {"kind": "batch_norm2d"}]}, {"kind": "flatten"}, {"kind": "linear"}])",
                            {2, 3, 5}),
                    {.recompute = Recompute::kAll});
    // Reordering and the block (10 parameters), then flatten and the linear layer (62), which uses the whole image
    // once.
    REQUIRE(layers.size() == 2);
    CHECK(layers[0].cost == 10 * 15 + 30);
    CHECK(layers[1].cost == 62 + 30);
    CHECK((layers[0].buffers == 3 && layers[0].bufferBytes == 24));
    const auto dropout = buildLayers(modelOf(R"([{"kind": "dropout", "p": 0.5}, {"kind": "linear"}])", {6}),
                                     {.recompute = Recompute::kAll});
    REQUIRE(dropout.size() == 1);
    CHECK(dropout[0].ownBytes == 8);
    CHECK(activationBytes(dropout, 0, 1, 1) == 8 + 4 * (2 + 6) + 4 * (6 + 6 + 2 + 6));
}
