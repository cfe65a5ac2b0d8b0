// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/page/refusal_text.h"

#include <QCoreApplication>

#include "words/form_fields.h"

namespace ringside {
namespace {

QString pageText(const char* source) {
    return QCoreApplication::translate("ShardsPage", source);
}

}  // namespace

QString refusalTitle(const PitfallsConfig& pitfalls) {
    return pitfalls.shuffleWithSampler ? pageText("PyTorch refuses shuffle=True together with a sampler")
                                       : pageText("No samples can be assigned with this mistake");
}

QString refusalText(const PitfallsConfig& pitfalls, const QString& problem) {
    if (!pitfalls.shuffleWithSampler) return inFormWords(problem);
    return pageText(
        "DataLoader(dataset, sampler=DistributedSampler(dataset), shuffle=True) raises\n"
        "ValueError: sampler option is mutually exclusive with shuffle\n"
        "\n"
        "Both would set the order: the sampler returns the indices, and shuffle=True would create a RandomSampler that "
        "ignores ranks, so every rank would get all of the data.\n"
        "Do not pass shuffle to the DataLoader. Let the sampler shuffle: DistributedSampler(dataset, shuffle=True), "
        "with sampler.set_epoch(epoch) before each epoch.");
}

}  // namespace ringside
