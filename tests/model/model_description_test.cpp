// SPDX-License-Identifier: Apache-2.0
#include "model/model_description.h"

#include "model/model_summary.h"
#include "support/catch.h"

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
          "Memory on each rank: 112.6 KiB for weights, gradients and sgd, 552.0 KiB for the activations of a batch of "
          "1,024 and as much for their gradients.\n");
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
