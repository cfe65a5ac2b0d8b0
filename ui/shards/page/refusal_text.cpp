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
                                       : pageText("This mistake cannot be dealt");
}

QString refusalText(const PitfallsConfig& pitfalls, const QString& problem) {
    if (!pitfalls.shuffleWithSampler) return inFormWords(problem);
    return pageText(
        "DataLoader(dataset, sampler=DistributedSampler(dataset), shuffle=True) stops with\n"
        "ValueError: sampler option is mutually exclusive with shuffle\n\n"
        "Both would decide the order: the sampler hands out the indices, and shuffle=True would make a RandomSampler "
        "of its own, which knows of no ranks, so that every rank would get all of the data.\n"
        "Leave shuffle out of the DataLoader and let the sampler shuffle: "
        "DistributedSampler(dataset, shuffle=True), with sampler.set_epoch(epoch) before each epoch.");
}

}  // namespace ringside
