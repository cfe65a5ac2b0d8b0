// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/ledger.h"

#include <QCoreApplication>
#include <QLocale>
#include <cmath>

#include "shards/ledger_sentences.h"

namespace ringside {
namespace {

QString text(const char* source) {
    return QCoreApplication::translate("Ledger", source);
}
QString number(std::int64_t value) {
    return QLocale().toString(static_cast<qlonglong>(value));
}

// "100 %" only when it is all of them.
QString share(std::int64_t part, std::int64_t whole) {
    const double percent = whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0;
    const double shown = part < whole ? std::min(percent, 99.99) : percent;
    const int decimals = part < whole && shown >= 99.9 ? 2 : shown == std::round(shown) ? 0 : 1;
    return QLocale().toString(shown, 'f', decimals) + QStringLiteral(" %");
}

LedgerRow perRank(const ShardPlan& plan) {
    const ShardSpec& spec = plan.spec();
    const bool floor = spec.dropLast;
    return {floor ? text("Per rank = floor(n / W)") : text("Per rank = ceil(n / W)"), number(plan.samplesPerRank()),
            plan.samplesPerRank() == 0 ? Tone::Danger : Tone::Normal,
            (floor ? text("floor(%1 / %2): every rank gets the same number of samples")
                   : text("ceil(%1 / %2): every rank gets the same number of samples"))
                .arg(spec.datasetSize)
                .arg(spec.worldSize)};
}

LedgerRow neverSeen(const Coverage* coverage, qint64 epochs) {
    LedgerRow row;
    row.name = text("Never seen in %1 epochs").arg(number(coverage ? coverage->epochs : epochs));
    if ((coverage ? coverage->epochs : epochs) == 1) {
        row.name = text("Never seen in 1 epoch");
    }
    row.value = coverage ? number(coverage->neverSeen) : text("counting");
    row.tone = coverage && coverage->neverSeen > 0 ? Tone::Danger : Tone::Normal;
    row.tip = text("Samples that no rank trains in any of these epochs, counted sample by sample");
    return row;
}

void say(QList<LedgerRow>& rows, const QString& name, const QString& sentence) {
    for (LedgerRow& row : rows) {
        if (row.name == name && !sentence.isEmpty()) row.tip += QLatin1Char('\n') + sentence;
    }
}

void addSentences(QList<LedgerRow>& rows, const ShardPlan& plan) {
    const ShardSpec& spec = plan.spec();
    say(rows, text("Samples"), sameOrderSentence(spec));
    say(rows, text("Padding (duplicates)"), duplicatesSentence(plan));
    for (const char* name : {"Dropped by sampler", "Dropped by loader"}) say(rows, text(name), bothDropLasts(spec));
    say(rows, text("Global batch"), learningRateSentence(spec));
}

}  // namespace

QList<LedgerRow> ledgerRows(const ShardPlan& plan, const Coverage* coverage, qint64 epochs) {
    const ShardSpec& spec = plan.spec();
    const auto dropped = static_cast<std::int64_t>(plan.dropped().size());
    const std::int64_t loader = plan.droppedByLoader() * spec.worldSize;
    const std::int64_t unique = uniqueSeen(plan);
    QList<LedgerRow> rows;
    rows << LedgerRow{text("Samples"), number(spec.datasetSize), Tone::Normal, text("n: the training samples")};
    rows << LedgerRow{text("World size"), number(spec.worldSize), Tone::Normal, text("W: the number of ranks")};
    rows << perRank(plan);
    rows << LedgerRow{text("Padding (duplicates)"), number(plan.padding()),
                      plan.padding() > 0 ? Tone::Warning : Tone::Normal,
                      text("%1 x %2 - %3: samples used twice so that all ranks get the same number")
                          .arg(plan.samplesPerRank())
                          .arg(spec.worldSize)
                          .arg(spec.datasetSize)};
    if (plan.padding() == 0) rows.last().tip = text("Samples used twice so that all ranks get the same number");
    rows << LedgerRow{text("Dropped by sampler"), number(dropped), dropped > 0 ? Tone::Danger : Tone::Normal,
                      text("n mod W samples at the tail of the order, when drop_last of the sampler is on")};
    rows << LedgerRow{text("Dropped by loader"), number(loader), loader > 0 ? Tone::Danger : Tone::Normal,
                      text("%1 on each of %2 ranks: the short last batch, when drop_last of the loader is on")
                          .arg(plan.droppedByLoader())
                          .arg(spec.worldSize)};
    rows << LedgerRow{text("Steps per epoch"), number(plan.stepsPerEpoch()),
                      plan.stepsPerEpoch() == 0 ? Tone::Danger : Tone::Normal,
                      (spec.loaderDropLast ? text("floor(%1 / %2)") : text("ceil(%1 / %2)"))
                          .arg(plan.samplesPerRank())
                          .arg(spec.batchSize)};
    rows << LedgerRow{text("Global batch"), number(spec.batchSize * spec.worldSize), Tone::Normal,
                      text("%1 per rank x %2 ranks").arg(spec.batchSize).arg(spec.worldSize)};
    rows << LedgerRow{text("Last batch per rank"), number(plan.lastBatchSize()), Tone::Normal,
                      text("Samples of each rank in the last step")};
    rows << LedgerRow{text("Unique seen"), text("%1 (%2)").arg(number(unique), share(unique, spec.datasetSize)),
                      Tone::Normal, text("Different samples trained in this epoch")};
    rows << neverSeen(coverage, epochs);
    addSentences(rows, plan);
    return rows;
}

}  // namespace ringside
