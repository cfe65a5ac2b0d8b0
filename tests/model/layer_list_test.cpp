// SPDX-License-Identifier: Apache-2.0
#include "model/layer_list.h"

#include "support/catch.h"

using namespace ringside;

namespace {

Result<ModelDescription> describe(const std::string& layers, const Shape& sample = {3, 8, 8}) {
    return describeModel({ModelKind::kLayers, {}, layers}, sample, 10);
}

std::string refusal(const std::string& layers, const Shape& sample = {3, 8, 8}) {
    const auto model = describe(layers, sample);
    return model ? std::string() : model.problem().text();
}

}  // namespace

TEST_CASE("a model has batch norm by its kind or by its list of layers") {
    const auto inList = [](const char* layers) { return hasBatchNorm({ModelKind::kLayers, {}, layers}); };
    CHECK_FALSE(hasBatchNorm(ModelConfig()));
    CHECK(hasBatchNorm({.kind = ModelKind::kResidualCnn}));
    CHECK(inList(R"([{"kind": "conv2d", "out": 4, "kernel": 3}, {"kind": "batch_norm2d"}, {"kind": "linear"}])"));
    CHECK(inList(R"([{"kind": "residual", "layers": [{"kind": "conv2d", "out": 3, "kernel": 3, "padding": 1},
        {"kind": "batch_norm2d"}]}, {"kind": "linear"}])"));
    CHECK_FALSE(inList(R"([{"kind": "relu"}, {"kind": "linear"}])"));
    // The list counts only if the model is built from it.
    CHECK_FALSE(hasBatchNorm({.layers = R"([{"kind": "batch_norm2d"}, {"kind": "linear"}])"}));
}

TEST_CASE("a list of layers becomes the model of nn.Sequential, with the last linear layer as wide as the data needs") {
    const ModelDescription model = describe(R"([{"kind": "conv2d", "out": 6, "kernel": 5, "stride": 2, "padding": 2},
        {"kind": "gelu"}, {"kind": "max_pool2d", "kernel": 3}, {"kind": "flatten"}, {"kind": "layer_norm"},
        {"kind": "linear", "out": 4}, {"kind": "relu"}, {"kind": "linear"}])")
                                       .value();
    REQUIRE(model.layers.size() == 8);
    CHECK(model.layers[0].text() == "Conv2d(3, 6, kernel_size=5, stride=2, padding=2)");
    CHECK(model.layers[0].output == Shape{6, 4, 4});  // (8 + 4 - 5) / 2 + 1
    CHECK(model.layers[2].output == Shape{6, 1, 1});
    CHECK(model.layers[4].text() == "LayerNorm(6)");
    CHECK(model.layers[5].name == "5");
    CHECK(model.layers[7].text() == "Linear(4, 10)");
    CHECK(model.parameters() == 6 * (75 + 1) + 12 + 4 * 7 + 10 * 5);
}

TEST_CASE("an invalid entry is reported with its position and remedy") {
    CHECK(
        refusal(R"([{"kind": "linaer"}])") ==
        "model.layers[0] has the kind \"linaer\"; the kinds are linear, conv2d, max_pool2d, relu, gelu, layer_norm, "
        "flatten, batch_norm2d, global_average_pool, dropout, residual, embedding, position_embedding, attention: did "
        "you mean linear?");
    CHECK(refusal(R"([{"kind": "flatten"}, {"kind": "linear", "width": 3}])") ==
          "model.layers[1] linear does not have a setting \"width\": its settings are out");
    CHECK(refusal(R"([{"kind": "linear"}, {"kind": "relu"}])", {5}) ==
          "model.layers[0] linear has no \"out\": add this setting: a whole number from 1 to 65536");
    CHECK(refusal(R"([{"kind": "conv2d", "out": 4, "kernel": 99}])") ==
          "model.layers[0] has the kernel 99: choose a whole number from 1 to 15");
    CHECK(refusal(R"([{"kind": "conv2d", "out": 1e3, "kernel": 3}])") ==
          "model.layers[0] has the out 1000.0: choose a whole number from 1 to 65536");
    CHECK(refusal(R"([{"kind": "conv2d", "out": 4, "kernel": 3, "padding": 3}])") ==
          "model.layers[0] has the padding 3, which is not below its kernel 3: lower the padding");
    CHECK(refusal(R"(["relu"])") ==
          "model.layers[0] is \"relu\"; a layer is an object with a kind: write {\"kind\": \"relu\"}");
    CHECK(refusal("[]").find("model.layers is not a list of 1 to 256 layers: write the list as") == 0);
}

TEST_CASE("each number of a layer is accepted from its minimum to its maximum") {
    struct Range {
        std::string layer;  // text in front of the number
        std::string key;
        std::int64_t least;
        std::int64_t most;
        std::int64_t LayerDescription::*value;
    };
    const std::string convolution = R"("kind": "conv2d", "out": 4, )";
    const std::vector<Range> ranges = {
        {R"("kind": "linear", )", "out", 1, 65536, &LayerDescription::outputs},
        {R"("kind": "conv2d", "kernel": 3, )", "out", 1, 65536, &LayerDescription::outputs},
        {convolution, "kernel", 1, 15, &LayerDescription::kernel},
        {convolution + R"("kernel": 3, )", "stride", 1, 15, &LayerDescription::stride},
        {R"("kind": "max_pool2d", )", "kernel", 1, 15, &LayerDescription::kernel},
        {R"("kind": "embedding", )", "out", 1, 65536, &LayerDescription::outputs},
        {R"("kind": "attention", )", "heads", 1, 256, &LayerDescription::heads}};
    for (const Range& range : ranges) {
        const auto read = [&range](std::int64_t number) {
            return readLayerList("[{" + range.layer + '"' + range.key + "\": " + std::to_string(number) + "}]", 10);
        };
        CAPTURE(range.layer, range.key);
        for (const std::int64_t number : {range.least, range.least + 1, range.most})
            CHECK(read(number).value()[0].*range.value == number);
        for (const std::int64_t number : {range.least - 1, range.most + 1})
            CHECK(read(number).problem().text() == "model.layers[0] has the " + range.key + " " +
                                                       std::to_string(number) + ": choose a whole number from " +
                                                       std::to_string(range.least) + " to " +
                                                       std::to_string(range.most));
    }
}

TEST_CASE("a padding is below its kernel, and required numbers are not omitted") {
    const auto read = [](const std::string& rest) { return readLayerList("[{" + rest + "}]", 10); };
    const std::string wide = R"("kind": "conv2d", "out": 4, "kernel": 15, "padding": )";
    CHECK(read(wide + "0").value()[0].padding == 0);
    CHECK(read(wide + "14").value()[0].padding == 14);
    CHECK_THAT(read(wide + "15").problem().text(), containing("which is not below its kernel 15"));
    CHECK_THAT(read(wide + "16").problem().text(), containing("choose a whole number from 0 to 15"));
    CHECK_THAT(read(wide + "-1").problem().text(), containing("choose a whole number from 0 to 15"));
    const LayerDescription plain = read(R"("kind": "conv2d", "out": 4, "kernel": 3)").value()[0];
    CHECK((plain.stride == 1 && plain.padding == 0 && plain.bias));
    CHECK(read(R"("kind": "conv2d", "kernel": 3)").problem().message == "conv2d has no \"out\"");
    CHECK(read(R"("kind": "conv2d", "out": 4)").problem().message == "conv2d has no \"kernel\"");
    CHECK(read(R"("kind": "max_pool2d")").problem().message == "max_pool2d has no \"kernel\"");
    CHECK(read(R"("kind": "embedding")").problem().message == "embedding has no \"out\"");
    CHECK(read(R"("kind": "attention")").problem().message == "attention has no \"heads\"");
    CHECK(read(R"("kind": "residual")").problem().message == "residual has no \"layers\"");
    CHECK(read(R"("kind": "linear")").value()[0].outputs == 10);
}

TEST_CASE("a probability is a number from 0 to below 1") {
    const auto dropout = [](const std::string& p) {
        return readLayerList(R"([{"kind": "dropout", "p": )" + p + "}]", 10);
    };
    const auto residual = [](const std::string& skip) {
        return readLayerList(R"([{"kind": "residual", "layers": [{"kind": "relu"}], "skip": )" + skip + "}]", 10);
    };
    CHECK(dropout("0").value()[0].probability == 0);
    CHECK(dropout("0.999").value()[0].probability == 0.999);
    CHECK(residual("0.5").value()[0].probability == 0.5);
    for (const std::string refused : {"1", "1.5", "-0.1", "true", "\"0.5\""}) {
        CHECK(dropout(refused).problem().text() ==
              "model.layers[0] has the p " + refused + ": choose a number from 0 to below 1");
        CHECK(residual(refused).problem().text() ==
              "model.layers[0] has the skip " + refused + ": choose a number from 0 to below 1");
    }
}

TEST_CASE("a convolution can omit its bias") {
    const auto read = [](const std::string& bias) {
        return readLayerList(R"([{"kind": "conv2d", "out": 4, "kernel": 3, "bias": )" + bias + "}]", 10);
    };
    CHECK(read("true").value()[0].bias);
    CHECK_FALSE(read("false").value()[0].bias);
    CHECK(read("0").problem().text() == "model.layers[0] has the bias 0: choose true or false");
}

TEST_CASE("an unknown setting of a layer is reported with the known ones") {
    const auto remedy = [](const std::string& kind, const std::string& key) {
        return readLayerList(R"([{"kind": ")" + kind + R"(", ")" + key + R"(": 1}])", 10).problem().remedy;
    };
    CHECK(remedy("relu", "qqqq") == "omit the setting");
    CHECK(remedy("dropout", "qqqq") == "its settings are p");
    CHECK(remedy("residual", "qqqq") == "its settings are layers, shortcut, skip");
    CHECK(remedy("conv2d", "qqqqqq") == "its settings are out, kernel, stride, padding, bias");
    CHECK(remedy("conv2d", "kernal") == "did you mean kernel?");
    CHECK(remedy("max_pool2d", "qqqq") == "its settings are kernel");
    // Each of these members belongs to other kinds of layers: p to dropout, bias to convolutions, layers to residual
    // blocks.
    CHECK(remedy("relu", "p") == "omit the setting");
    CHECK(remedy("linear", "bias") == "its settings are out");
    CHECK(remedy("relu", "layers") == "omit the setting");
    CHECK(remedy("dropout", "skip") == "its settings are p");
}

TEST_CASE("a long value is cut in a message") {
    const std::string word(70, 'a');
    CHECK(refusal("[\"" + word + "\"]").find("model.layers[0] is \"" + word.substr(0, 59) + "; a layer") == 0);
}

TEST_CASE("an entry without a kind that is a text is not a layer") {
    for (const std::string entry : {"3", "{}", R"({"out":4})", R"({"kind":7})"})
        CHECK(readLayerList("[" + entry + "]", 10).problem().text() ==
              "model.layers[0] is " + entry + R"(; a layer is an object with a kind: write {"kind": "relu"})");
}

TEST_CASE("a list has 1 to 256 layers, and so has a part of a residual") {
    const auto list = [](int count, const std::string& entry = R"({"kind": "relu"})") {
        std::string text = entry;
        for (int i = 1; i < count; ++i) text += ", " + entry;
        return "[" + text + "]";
    };
    const auto residual = [](const std::string& layers) {
        return readLayerList(R"([{"kind": "residual", "layers": )" + layers + "}]", 10);
    };
    CHECK(readLayerList(list(256), 10).value().size() == 256);
    CHECK(residual(list(256)).value()[0].body.size() == 256);
    for (const std::string& refused : {list(257), std::string("{}"), std::string("[")})
        CHECK(readLayerList(refused, 10).problem().message == "is not a list of 1 to 256 layers");
    for (const std::string& refused : {list(257), std::string("{}")})
        CHECK(residual(refused).problem().text() ==
              "model.layers[0].layers is not a list of at most 256 layers: write it as a list");
    CHECK(residual("[]").problem().message == "residual has no \"layers\"");
}

TEST_CASE("residuals are nested four deep at most") {
    std::string text = R"({"kind": "relu"})";
    for (int depth = 0; depth < 4; ++depth) text = R"({"kind": "residual", "layers": [)" + text + "]}";
    CHECK(readLayerList("[" + text + "]", 10).ok());
    CHECK(
        readLayerList(R"([{"kind": "residual", "layers": [)" + text + "]}]", 10).problem().text() ==
        "model.layers[0].layers[0].layers[0].layers[0].layers[0].layers is nested deeper than 4 levels: nest residuals "
        "less deeply");
}

TEST_CASE("the layers of a residual are named by their branch and index, and their problems by their path") {
    const std::string first = R"([{"kind": "relu"}, {"kind": "residual", "layers": [{"kind": "relu"}, )";
    const LayerDescription residual =
        readLayerList(first + R"({"kind": "linear", "out": 3}], "shortcut": [{"kind": "linear", "out": 3}]}])", 10)
            .value()[1];
    REQUIRE((residual.body.size() == 2 && residual.shortcut.size() == 1));
    CHECK(residual.name == "1");
    CHECK(residual.body[1].name == "1.body.1");
    CHECK(residual.shortcut[0].name == "1.shortcut.0");
    CHECK(readLayerList(first + R"({"kind": "linear"}]}])", 10).problem().text() ==
          "model.layers[1].layers[1] linear has no \"out\": add this setting: a whole number from 1 to 65536");
}

TEST_CASE("a layer is found in a list and within its residuals") {
    const auto lists = [](const std::string& layers, LayerKind kind, ModelKind model = ModelKind::kLayers) {
        return listsLayer({model, {}, layers}, kind);
    };
    const std::string nested = R"([{"kind": "relu"}, {"kind": "residual", "layers": [{"kind": "gelu"}],
                                   "shortcut": [{"kind": "flatten"}]}])";
    CHECK(lists(nested, LayerKind::kReLU));
    CHECK(lists(nested, LayerKind::kGelu));
    CHECK(lists(nested, LayerKind::kFlatten));
    CHECK(lists(nested, LayerKind::kResidual));
    CHECK_FALSE(lists(nested, LayerKind::kLinear));
    CHECK_FALSE(lists(nested, LayerKind::kReLU, ModelKind::kMlp));
    CHECK_FALSE(lists("not a list", LayerKind::kReLU));
    CHECK(lists(R"([{"kind": "linear"}])", LayerKind::kLinear));
}

TEST_CASE("layers that do not fit are reported with expected and actual shape") {
    CHECK(refusal(R"([{"kind": "conv2d", "out": 4, "kernel": 3}, {"kind": "linear"}])") ==
          "model layer 1, Linear(4, 10), needs one vector of values for each sample or position but receives the shape "
          "(4, 6, 6): add a flatten layer before this layer");
    CHECK(refusal(R"([{"kind": "conv2d", "out": 4, "kernel": 9}])").find("images of at least 9 pixels per side") !=
          std::string::npos);
    CHECK(refusal(R"([{"kind": "linear", "out": 3}])", {7}) ==
          "model.layers ends with the shape (3), but the data set needs (10): end with a flatten and a linear layer");
    CHECK(refusal(R"([{"kind": "relu"}])", {10}) ==
          "model.layers has no layer with parameters, so nothing can be trained: add a linear layer");
}
