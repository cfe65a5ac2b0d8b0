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
          "model.layers[0] linear has no \"out\": add it, from 1 to 65536");
    CHECK(refusal(R"([{"kind": "conv2d", "out": 4, "kernel": 99}])") ==
          "model.layers[0] has the kernel 99: choose a whole number from 1 to 15");
    CHECK(refusal(R"([{"kind": "conv2d", "out": 1e3, "kernel": 3}])") ==
          "model.layers[0] has the out 1000.0: choose a whole number from 1 to 65536");
    CHECK(refusal(R"([{"kind": "conv2d", "out": 4, "kernel": 3, "padding": 3}])") ==
          "model.layers[0] has the padding 3, which is not below its kernel 3: lower the padding");
    CHECK(refusal(R"(["relu"])") ==
          "model.layers[0] is \"relu\"; a layer is an object with a kind: write {\"kind\": \"relu\"}");
    CHECK(refusal("[]").find("model.layers is not a list of 1 to 256 layers: write it as") == 0);
}

TEST_CASE("layers that do not fit are reported with expected and actual shape") {
    CHECK(refusal(R"([{"kind": "conv2d", "out": 4, "kernel": 3}, {"kind": "linear"}])") ==
          "model layer 1, Linear(4, 10), needs values in one row but receives the shape (4, 6, 6): add a flatten "
          "before it");
    CHECK(refusal(R"([{"kind": "conv2d", "out": 4, "kernel": 9}])").find("images of at least 9 pixels per side") !=
          std::string::npos);
    CHECK(refusal(R"([{"kind": "linear", "out": 3}])", {7}) ==
          "model.layers ends with the shape (3), but the data set needs (10): end with a flatten and a linear layer");
    CHECK(refusal(R"([{"kind": "relu"}])", {10}) ==
          "model.layers has no layer with parameters, so nothing can be trained: add a linear layer");
}
