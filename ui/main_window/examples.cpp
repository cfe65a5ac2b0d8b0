// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window/examples.h"

#include <QCoreApplication>

namespace ringside {
namespace {

QString exampleText(const char* text) {
    return QCoreApplication::translate("examples", text);
}

}  // namespace

std::vector<Example> examples() {
    return {{"tenExampleAction", exampleText("&Ten samples on 4 ranks"),
             exampleText("Where padding comes from, card by card"), QStringLiteral("examples/ten.ringside.json")},
            {"sixtyThousandExampleAction", exampleText("&60,000 samples on 8 ranks"),
             exampleText("As many as MNIST has: where one sample goes in each epoch"),
             QStringLiteral("examples/mnist-sized.ringside.json")},
            {"imagenetExampleAction", exampleText("&1,281,167 samples on 64 ranks"),
             exampleText("ImageNet's shape: its size and its 1,000 classes, with pictures made up"),
             QStringLiteral("examples/imagenet.ringside.json")},
            {"setEpochExampleAction", exampleText("&Forgotten set_epoch"),
             exampleText("The digits without sampler.set_epoch(epoch): every epoch has the same order"),
             QStringLiteral("examples/set-epoch.ringside.json")},
            {"tooLargeExampleAction", exampleText("Too &large for DDP"),
             exampleText("A rank may take 5 MiB, DDP needs more: the Strategy page says what fits"),
             QStringLiteral("examples/too-large-for-ddp.ringside.json")},
            {"pipelineExampleAction", exampleText("A &pipeline of 4 stages"),
             exampleText("Eight layers over 4 ranks, 8 micro-batches: which rank waits for which"),
             QStringLiteral("examples/pipeline.ringside.json")}};
}

}  // namespace ringside
