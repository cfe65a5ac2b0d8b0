// SPDX-License-Identifier: Apache-2.0
#include "model/model_description.h"

#include "data/sets/common/dataset.h"
#include "model/model_summary.h"
#include "support/catch.h"
#include "support/labelled_set.h"

using namespace ringside;

TEST_CASE("SimpleCNN's layers have the tutorial's sizes for CIFAR-10") {
    const ModelDescription model = describeModel({ModelKind::kSimpleCnn, {}}, {3, 32, 32}, 10).value();
    REQUIRE(model.layers.size() == 10);
    CHECK(model.layers[0].text() == "Conv2d(3, 32, kernel_size=3, padding=1)");
    CHECK(model.layers[0].output == Shape{32, 32, 32});
    CHECK(model.layers[0].parameters() == 32 * (27 + 1));
    CHECK(model.layers[0].flops() == 2 * 27 * 32 * 1024);
    CHECK(model.layers[2].output == Shape{32, 16, 16});
    CHECK(model.layers[5].output == Shape{64, 8, 8});
    CHECK(model.layers[6].output == Shape{4096});
    // (27+1)*32 + (288+1)*64 + (4096+1)*512 + (512+1)*10
    CHECK(model.parameters() == 896 + 18496 + 2097664 + 5130);
}

TEST_CASE("SimpleCNN takes small grey images, and odd ones as PyTorch rounds them") {
    const ModelDescription digits = describeModel({ModelKind::kSimpleCnn, {}}, {1, 8, 8}, 10).value();
    CHECK(digits.layers[6].output == Shape{64 * 2 * 2});
    const ModelDescription odd = describeModel({ModelKind::kSimpleCnn, {}}, {1, 7, 11}, 10).value();
    CHECK(odd.layers[6].output == Shape{64 * 1 * 2});
}

TEST_CASE("a residual network has torchvision's layers and names") {
    const ModelConfig config{.kind = ModelKind::kResidualCnn, .width = 4, .depth = 2};
    const ModelDescription model = describeModel(config, {3, 32, 32}, 10).value();
    REQUIRE(model.layers.size() == 3 + 2 * 6 + 2);  // each block has a ReLU behind it
    CHECK(model.layers[0].text() == "Conv2d(3, 4, kernel_size=3, padding=1, bias=False)");
    CHECK((model.layers[0].name == "conv1" && model.layers[1].name == "bn1"));
    const auto block = [&model](std::size_t number) { return model.layers[3 + 2 * number]; };
    CHECK((block(0).name == "layer1.0" && block(1).name == "layer1.1" && block(2).name == "layer2.0"));
    CHECK(block(5).name == "layer3.1");
    CHECK((block(0).shortcut.empty() && block(1).shortcut.empty() && block(3).shortcut.empty()));
    CHECK(block(1).output == Shape{4, 32, 32});
    CHECK(block(3).output == Shape{8, 16, 16});
    CHECK(block(5).output == Shape{16, 8, 8});
    const LayerDescription reshaping = block(4);
    REQUIRE((reshaping.body.size() == 5 && reshaping.shortcut.size() == 2));
    CHECK(reshaping.body[0].text() == "Conv2d(8, 16, kernel_size=3, stride=2, padding=1, bias=False)");
    CHECK(reshaping.body[0].name == "layer3.0.conv1");
    CHECK(reshaping.body[1].name == "layer3.0.bn1");
    CHECK(reshaping.body[2].text() == "ReLU()");
    CHECK(reshaping.body[3].text() == "Conv2d(16, 16, kernel_size=3, padding=1, bias=False)");
    CHECK(reshaping.body[3].name == "layer3.0.conv2");
    CHECK(reshaping.body[4].name == "layer3.0.bn2");
    CHECK(reshaping.shortcut[0].text() == "Conv2d(8, 16, kernel_size=1, stride=2, bias=False)");
    CHECK(reshaping.shortcut[0].name == "layer3.0.downsample.0");
    CHECK(reshaping.shortcut[1].name == "layer3.0.downsample.1");
    CHECK(model.layers.back().text() == "Linear(16, 10)");
    CHECK(model.layers.back().name == "fc");
    // 3 x 3 convolutions without bias, two values per channel of a batch norm, 1 x 1 convolutions of shortcuts.
    const std::int64_t stage1 = 2 * (2 * 9 * 4 * 4 + 2 * 8);
    const std::int64_t stage2 = 9 * 4 * 8 + 3 * 9 * 8 * 8 + 4 * 16 + 4 * 8 + 16;
    const std::int64_t stage3 = 9 * 8 * 16 + 3 * 9 * 16 * 16 + 4 * 32 + 8 * 16 + 32;
    CHECK(model.parameters() == 9 * 3 * 4 + 8 + stage1 + stage2 + stage3 + 17 * 10);
}

TEST_CASE("a transformer has the layers, names and parameters of its description") {
    ModelConfig config{.kind = ModelKind::kTransformer, .width = 8, .depth = 2};
    config.heads = 2;
    config.dropout = 0;
    const ModelInterface interface { .sample = {4}, .outputs = 10, .isSequence = true };
    const ModelDescription model = describeModel(config, interface).value();
    REQUIRE(model.layers.size() == 8);
    CHECK(model.layers[0].text() == "Embedding(10, 8)");
    CHECK((model.layers[0].name == "token_embedding" && model.layers[1].name == "position_embedding"));
    CHECK(model.layers[1].text() == "PositionEmbedding(4, 8)");
    REQUIRE((model.layers[4].body.size() == 2 && model.layers[5].body.size() == 4));
    CHECK((model.layers[4].name == "blocks.1" && model.layers[5].name == "blocks.1"));
    CHECK((model.layers[4].body[0].name == "blocks.1.norm1" && model.layers[4].body[1].name == "blocks.1.attention"));
    CHECK(model.layers[4].body[1].text() == "CausalSelfAttention(8, heads=2)");
    CHECK(model.layers[5].body[0].name == "blocks.1.norm2");
    CHECK(model.layers[5].body[1].text() == "Linear(8, 32)");
    CHECK(model.layers[5].body[1].name == "blocks.1.mlp.0");
    CHECK(model.layers[5].body[2].text() == "GELU()");
    CHECK(model.layers[5].body[3].text() == "Linear(32, 8)");
    CHECK(model.layers[5].body[3].name == "blocks.1.mlp.2");
    CHECK((model.layers[6].name == "norm" && model.layers[7].name == "head"));
    CHECK(model.layers[7].output == Shape{4, 10});
    const std::int64_t block = 2 * 16 + 9 * 24 + 9 * 8 + 9 * 32 + 33 * 8;
    CHECK(model.parameters() == 80 + 32 + 2 * block + 16 + 90);
    config.dropout = 0.25;
    const ModelDescription dropping = describeModel(config, interface).value();
    REQUIRE(dropping.layers.size() == 9);
    CHECK(dropping.layers[2].text() == "Dropout(0.25)");
    CHECK(dropping.layers[3].body.back().text() == "Dropout(0.25)");
    CHECK(dropping.layers[4].body.back().text() == "Dropout(0.25)");
    CHECK(dropping.parameters() == model.parameters());
}

TEST_CASE("the layers of a perceptron are named by their index among the layers and activations") {
    const ModelDescription model = describeModel({ModelKind::kMlp, {7, 6}}, {5}, 3).value();
    REQUIRE(model.layers.size() == 5);
    CHECK((model.layers[0].name == "0" && model.layers[2].name == "2" && model.layers[4].name == "4"));
    CHECK(model.layers[2].text() == "Linear(7, 6)");
    const ModelDescription toy = describeModel({ModelKind::kToyLinear, {}}, {20}, 1).value();
    REQUIRE(toy.layers.size() == 1);
    CHECK(toy.layers[0].text() == "Linear(20, 1)");
    CHECK(toy.layers[0].name == "linear");
    CHECK(describeModel({ModelKind::kToyLinear, {}}, {1, 4, 5}, 1).value().layers[1].text() == "Linear(20, 1)");
    CHECK(describeModel({ModelKind::kToyLinear, {}}, {4, 5}, 1).value().layers[0].text() == "Flatten()");
    CHECK(describeModel({ModelKind::kMlp, {7}}, {4, 5}, 1).value().layers[1].text() == "Linear(20, 7)");
}

TEST_CASE("a model ends with the shape that the data set needs") {
    const ModelInterface text{.sample = {4}, .outputs = 10, .isSequence = true};
    CHECK(
        describeModel({ModelKind::kMlp, {}}, text).problem().text() ==
        "model.kind ends with the shape (10), but the data set needs (4, 10): choose transformer as model.kind, which "
        "predicts every next character");
    const std::string embedding = R"([{"kind": "embedding", "out": 3}, {"kind": "linear"}])";
    CHECK(describeModel({ModelKind::kLayers, {}, embedding}, text).value().layers[0].text() == "Embedding(10, 3)");
    CHECK_THAT(describeModel({ModelKind::kLayers, {}, embedding}, {4}, 10).problem().text(),
               containing("needs the characters of a text"));
    // One parameter is enough to train.
    const std::string single = R"([{"kind": "conv2d", "out": 1, "kernel": 1, "bias": false}, {"kind": "flatten"}])";
    CHECK(describeModel({ModelKind::kLayers, {}, single}, {1, 2, 3}, 6).value().parameters() == 1);
}

TEST_CASE("the input of a model is the shape of a sample") {
    CHECK(modelInput(SampleShape{.channels = 3, .height = 5, .width = 6, .features = 90}) == Shape{3, 5, 6});
    CHECK(modelInput(SampleShape{.features = 90}) == Shape{90});
}

TEST_CASE("a model has one output for each class, and without classes one for each value to predict") {
    CHECK(modelOutputs(*testing::labelledSet({0}, 1)) == 1);
    CHECK(modelOutputs(*testing::labelledSet({0, 1, 2}, 3)) == 3);
    CHECK(modelOutputs(*testing::labelledSet({0}, 0)) == 0);  // a LabelledSet has no values to predict
}

TEST_CASE("a model that does not fit the data is reported with layer, expected and actual shape") {
    CHECK(describeModel({ModelKind::kSimpleCnn, {}}, {3, 3, 9}, 10).problem().text() ==
          "model layer 5, MaxPool2d(2), needs images of at least 2 pixels per side but receives the shape (64, 1, 4): "
          "use larger images or fewer layers");
    CHECK(describeModel({ModelKind::kSimpleCnn, {}}, {8}, 2).problem().text() ==
          "model layer 0, Conv2d(8, 32, kernel_size=3, padding=1), needs images (channels, height, width) but receives "
          "the shape (8): choose a data set of images");
}

TEST_CASE("parameters and operations of an MLP follow from its widths") {
    const ModelDescription model = describeModel({ModelKind::kMlp, {128}}, {64}, 10).value();
    CHECK(model.parameters() == 64 * 128 + 128 + 128 * 10 + 10);
    CHECK(model.flops() == 2 * 64 * 128 + 128 + 2 * 128 * 10);
    CHECK(model.activations() == 138);
    CHECK(describeModel({ModelKind::kMlp, {128}}, {1, 8, 8}, 10).value().parameters() == model.parameters());
}

TEST_CASE("the summary lists every layer and the memory on each rank") {
    RunConfig config;
    config.loader.batchSize = 1024;
    const ModelSummary summary = summarizeModel(describeModel({ModelKind::kMlp, {128}}, {64}, 10).value(), config);
    // 8,320 weights are kept three times; 128 values of 1,024 samples twice; 4 bytes each.
    CHECK(summary.rows.front().memoryBytes == 4 * (3 * 8320 + 2 * 128 * 1024));
    CHECK(summaryText(summary) ==
          "Layer            Output  Parameters   FLOPs  Values    Memory\n"
          "Linear(64, 128)  (128)        8,320  16,384     128   1.1 MiB\n"
          "ReLU()           (128)            0     128       0         0\n"
          "Linear(128, 10)  (10)         1,290   2,560      10  95.1 KiB\n"
          "All                           9,610  19,072     138   1.2 MiB\n"
          "FLOPs and activations are those of the forward pass for one sample; a training step needs about three times "
          "the FLOPs.\n"
          "Memory on each rank: 112.6 KiB for weights, gradients and optimizer state (sgd), 552.0 KiB for the "
          "activations of a batch of 1,024 and as much for their gradients, without the input batch.\n");
}

TEST_CASE("the state of an optimizer is counted") {
    const ModelDescription model = describeModel({ModelKind::kMlp, {}}, {9}, 1).value();  // 10 parameters
    OptimizerConfig optimizer;
    CHECK(parameterBytes(model, optimizer) == 10 * 4 * 3);
    optimizer.momentum = 0;
    CHECK(parameterBytes(model, optimizer) == 10 * 4 * 2);
    optimizer.kind = OptimizerKind::kAdamW;
    CHECK(parameterBytes(model, optimizer) == 10 * 4 * 4);
}

TEST_CASE("the summary lists the layers of a residual below it and counts them once") {
    const ModelConfig config{.kind = ModelKind::kResidualCnn, .width = 4, .depth = 1};
    const ModelSummary summary = summarizeModel(describeModel(config, {3, 8, 8}, 10).value(), RunConfig());
    std::int64_t outermost = 0;
    int deepest = 0;
    for (const ModelSummaryRow& row : summary.rows) {
        if (row.depth == 0 && row.layer != "All") outermost += row.memoryBytes;
        deepest = std::max(deepest, row.depth);
    }
    CHECK(summary.rows.back().layer == "All");
    CHECK(summary.rows.back().memoryBytes == outermost);
    CHECK(deepest == 2);  // what stands beside a body
}

TEST_CASE("a residual's branches are indented below it, the shortcut under a heading") {
    const std::string layers = R"([{"kind": "residual", "layers": [{"kind": "linear", "out": 4}],
        "shortcut": [{"kind": "linear", "out": 4}]}, {"kind": "linear"}])";
    RunConfig config;
    config.loader.batchSize = 1;
    config.optimizer.momentum = 0;
    const ModelSummary summary =
        summarizeModel(describeModel({ModelKind::kLayers, {}, layers}, {4}, 2).value(), config);
    REQUIRE(summary.rows.size() == 6);
    // 40 weights are kept twice, 8 values of one sample twice; 4 bytes each.
    CHECK(summary.rows[0] == ModelSummaryRow{0, "Residual()", "(4)", 40, 2 * 32 + 4, 8, 4 * (2 * 40 + 2 * 8)});
    CHECK(summary.rows[1] == ModelSummaryRow{1, "Linear(4, 4)", "(4)", 20, 32, 4, 4 * (2 * 20 + 2 * 4)});
    CHECK(summary.rows[2] == ModelSummaryRow{.depth = 1, .layer = "shortcut:", .isHeading = true});
    CHECK(summary.rows[3] == ModelSummaryRow{2, "Linear(4, 4)", "(4)", 20, 32, 4, 4 * (2 * 20 + 2 * 4)});
    CHECK_THAT(summaryText(summary), containing("Layer             Output  Parameters  FLOPs  Values  Memory\n"
                                                "Residual()        (4)             40     68       8   384 B\n"
                                                "  Linear(4, 4)    (4)             20     32       4   192 B\n"
                                                "  shortcut:\n"
                                                "    Linear(4, 4)  (4)             20     32       4   192 B\n"
                                                "Linear(4, 2)      (2)             10     16       2    96 B\n"
                                                "All                               50     84      10   480 B\n"));
}
