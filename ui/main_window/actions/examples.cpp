// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window/actions/examples.h"

#include <QCoreApplication>

namespace ringside {
namespace {

QString exampleText(const char* text) {
    return QCoreApplication::translate("examples", text);
}

}  // namespace

std::vector<Example> examples() {
    return {
        {"tenExampleAction", exampleText("&Ten samples on 4 ranks"),
         exampleText("Shows sample by sample why a sampler pads the last positions"),
         QStringLiteral("examples/ten.ringside.json")},
        {"sixtyThousandExampleAction", exampleText("&60,000 samples on 8 ranks"),
         exampleText("The size of MNIST: shows which rank trains on a sample in each epoch"),
         QStringLiteral("examples/mnist-sized.ringside.json")},
        {"imagenetExampleAction", exampleText("&1,281,167 samples on 64 ranks"),
         exampleText("The size and the 1,000 classes of ImageNet, with synthetic images"),
         QStringLiteral("examples/imagenet.ringside.json")},
        {"setEpochExampleAction", exampleText("&Forgotten set_epoch"),
         exampleText("Digits data set without sampler.set_epoch(epoch): every epoch has the same order of samples"),
         QStringLiteral("examples/set-epoch.ringside.json")},
        {"tooLargeExampleAction", exampleText("Too &large for DDP"),
         exampleText(
             "Each rank may use 5 MiB of memory, and DDP needs more: the Strategy page shows the strategies that fit"),
         QStringLiteral("examples/too-large-for-ddp.ringside.json")},
        {"pipelineExampleAction", exampleText("A &pipeline of 4 stages"),
         exampleText("Eight layers on 4 ranks, 8 micro-batches: shows which rank waits for which other rank"),
         QStringLiteral("examples/pipeline.ringside.json")}};
}

}  // namespace ringside
