// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window/examples.h"

#include <QCoreApplication>

namespace ringside {
namespace {

QString exampleText(const char* text) {
    return QCoreApplication::translate("examples", text);
}

// Points in the plane, so many of them to train on; a fifth of all validate.
RunConfig points(const char* name, std::int64_t all, std::int64_t ranks, std::int64_t batchSize) {
    RunConfig config;
    config.name = name;
    config.dataset.kind = "synthetic";
    config.dataset.shape = "blobs";
    config.dataset.size = all;
    config.dataset.features = 2;
    config.model.hidden = {8};
    config.parallel.worldSize = ranks;
    config.loader.batchSize = batchSize;
    return config;
}

RunConfig imagenet() {
    RunConfig config;
    config.name = "imagenet";
    config.dataset.kind = "synthetic";
    config.dataset.shape = "imagenet";
    config.parallel.worldSize = 64;
    return config;
}

RunConfig forgotten() {
    RunConfig config;
    config.name = "set-epoch";
    config.sampler.setEpoch = false;
    return config;
}

// Eight layers that a rank may not hold whole: Run is refused under DDP, and the form and the Strategy
// page say what fits.
RunConfig tooLarge() {
    RunConfig config;
    config.name = "too-large-for-ddp";
    config.model.hidden = {256, 256, 256, 256, 256, 256, 256};
    config.optimizer.kind = "adam";
    config.optimizer.lr = 0.001;
    config.parallel.memoryLimitMb = 5;
    return config;
}

RunConfig pipelined() {
    RunConfig config;
    config.name = "pipeline";
    config.model.hidden = {256, 256, 256, 256, 256, 256, 256};
    config.parallel.strategy = "pipeline";
    config.pipeline.microBatches = 8;
    return config;
}

}  // namespace

std::vector<Example> examples() {
    return {{"tenExampleAction", exampleText("&Ten samples on 4 ranks"),
             exampleText("Where padding comes from, card by card"), points("ten", 13, 4, 2)},
            {"sixtyThousandExampleAction", exampleText("&60,000 samples on 8 ranks"),
             exampleText("As many as MNIST has: where one sample goes in each epoch"),
             points("mnist-sized", 75'000, 8, 32)},
            {"imagenetExampleAction", exampleText("&1,281,167 samples on 64 ranks"),
             exampleText("ImageNet's shape: its size and its 1,000 classes, with pictures made up"), imagenet()},
            {"setEpochExampleAction", exampleText("&Forgotten set_epoch"),
             exampleText("The digits without sampler.set_epoch(epoch): every epoch deals the same order"), forgotten()},
            {"tooLargeExampleAction", exampleText("Too &large for DDP"),
             exampleText("A rank may take 5 MiB, DDP needs more: the Strategy page says what fits"), tooLarge()},
            {"pipelineExampleAction", exampleText("A &pipeline of 4 stages"),
             exampleText("Eight layers over 4 ranks, 8 micro-batches: who waits for whom"), pipelined()}};
}

}  // namespace ringside
