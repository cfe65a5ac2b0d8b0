// SPDX-License-Identifier: GPL-3.0-or-later
#include "training/mistake_sentences.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <cmath>

#include "telemetry/data/run_data.h"

namespace ringside {
namespace {

QString mistakeWords(const char* text) {
    return QCoreApplication::translate("mistakes", text);
}

QString percent(double share) {
    return QString::number(100 * share, 'f', 1);
}

QString summed(const RunData& run) {
    const auto ranks = static_cast<int>(run.ranks().size());
    return mistakeWords(
               "Mistake: gradients are summed over %1 ranks instead of averaged. Each gradient is %1 times as "
               "large: with SGD, a learning rate of %2 acts like %3; with Adam, the updates hardly change.")
        .arg(ranks)
        .arg(run.settings().learningRateAtFirst, 0, 'g', 3)
        .arg(run.settings().learningRateAtFirst * ranks, 0, 'g', 3);
}

QString local(const RunData& run) {
    const QString what = mistakeWords("Mistake: validation results are not combined over the ranks.");
    const RankData* least = nullptr;
    const RankData* most = nullptr;
    for (const RankData& rank : run.ranks()) {
        if (!rank.local || !std::isfinite(rank.local->accuracy)) continue;
        if (least == nullptr || rank.local->accuracy < least->local->accuracy) least = &rank;
        if (most == nullptr || rank.local->accuracy > most->local->accuracy) most = &rank;
    }
    if (least == nullptr || run.validationEpochs().empty()) return what;
    return mistakeWords(
               "%1 Rank %2 reports an accuracy of %3 %, rank %4 reports %5 %; the accuracy on all samples is %6 %, as "
               "in the chart.")
        .arg(what)
        .arg(most->local->rank)
        .arg(percent(most->local->accuracy))
        .arg(least->local->rank)
        .arg(percent(least->local->accuracy), percent(run.validationEpochs().back().accuracy));
}

QString early(const RunData& run) {
    return mistakeWords(
               "Mistake: rank %1 stops one step before the other ranks. The next all-reduce of the other ranks waits "
               "for this rank until the timeout ends the run.")
        .arg(run.ranks().size() - 1);
}

QString sameOrder(const RunData& run) {
    if (run.epochs() == 2)
        return mistakeWords(
            "Mistake: set_epoch is never called. Both epochs use the same samples in the same batches, in the order of "
            "the first epoch.");
    return mistakeWords(
               "Mistake: set_epoch is never called. All %1 epochs use the same samples in the same batches, in the "
               "order of the first epoch.")
        .arg(run.epochs());
}

}  // namespace

QString mistakeSentences(const RunData& run) {
    const StepPitfalls& pitfalls = run.settings().stepPitfalls;
    QStringList lines;
    if (run.settings().repeatsOrder) lines << sameOrder(run);
    if (run.ranks().size() < 2) return lines.join(QLatin1Char('\n'));
    if (pitfalls.sumGradients) lines << summed(run);
    if (pitfalls.localMetrics) lines << local(run);
    if (pitfalls.earlyExit) lines << early(run);
    return lines.join(QLatin1Char('\n'));
}

}  // namespace ringside
