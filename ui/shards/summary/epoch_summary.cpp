// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/summary/epoch_summary.h"

#include <QLocale>
#include <algorithm>
#include <cmath>
#include <optional>

#include "sampling/plan/shard_numbers.h"
#include "shards/scene/sentence_text.h"
#include "shards/summary/epoch_summary_sentences.h"

namespace ringside {
namespace {

// Returns a percentage; "100 %" only if the part is the whole.
QString share(std::int64_t part, std::int64_t whole) {
    const double percent = whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0;
    const double shown = part < whole ? std::min(percent, 99.99) : percent;
    const int decimals = part < whole && shown >= 99.9 ? 2 : shown == std::round(shown) ? 0 : 1;
    return QLocale().toString(shown, 'f', decimals) + QStringLiteral(" %");
}

// Returns a row with the length of the order, "k", if it differs from the number of samples, n.
std::optional<EpochSummaryRow> orderRow(const ShardSpec& spec, std::int64_t length) {
    if (spec.kind == SamplerKind::kSubset) {
        return EpochSummaryRow{epochSummaryText("Subset (k)"), groupedNumber(length), Tone::Normal,
                               epochSummaryText("k: number of samples in the subset")};
    }
    if (spec.pitfalls.doubleSharding) {
        return EpochSummaryRow{
            epochSummaryText("One rank's part (k)"), groupedNumber(length), Tone::Danger,
            epochSummaryText(
                "k: number of samples that the first split leaves on a rank; the sampler splits them again")};
    }
    if (spec.kind == SamplerKind::kClassBalanced) {
        return EpochSummaryRow{epochSummaryText("Positions (k)"), groupedNumber(length), Tone::Normal,
                               epochSummaryText("k: number of positions that are filled with the classes in turn")};
    }
    if (!mayRepeatSamples(spec.kind)) return {};
    return EpochSummaryRow{epochSummaryText("Draws (k)"), groupedNumber(length), Tone::Normal,
                           epochSummaryText("k: number of draws with replacement in one epoch")};
}

QString perRankName(const ShardSpec& spec, const QString& n) {
    if (isReplicated(spec.kind)) return epochSummaryText("Per rank = all of %1").arg(n);
    if (spec.kind == SamplerKind::kUnpadded && spec.datasetSize % spec.worldSize != 0) {
        return epochSummaryText("Per rank, n / W rounded up or down");
    }
    const QString round = spec.dropLast && takesDropLast(spec.kind) ? QStringLiteral("floor") : QStringLiteral("ceil");
    if (assignsBatches(spec.kind)) return epochSummaryText("Per rank = %1(%2 / (W x B)) x B").arg(round, n);
    const bool isHardCoded = spec.pitfalls.wrongWorldSize > 0;
    return isHardCoded ? epochSummaryText("Per rank = %1(%2 / %3), with the hard-coded size")
                             .arg(round, n)
                             .arg(spec.pitfalls.wrongWorldSize)
                       : epochSummaryText("Per rank = %1(%2 / W)").arg(round, n);
}

QString perRankTip(const ShardPlan& plan, std::int64_t length) {
    const ShardSpec& spec = plan.spec();
    const QString round = spec.dropLast ? QStringLiteral("floor") : QStringLiteral("ceil");
    if (plan.samplesPerRank() == 0) {
        return epochSummaryText("floor(%1 / %2) = 0: every shard is empty, there are fewer samples than ranks")
            .arg(length)
            .arg(spec.worldSize);
    }
    if (isReplicated(spec.kind)) return epochSummaryText("Nothing is sharded: every rank uses the complete order");
    if (assignsBatches(spec.kind)) {
        return epochSummaryText("%1(%2 / (%3 x %4)) x %4: whole batches, the same number for every rank")
            .arg(round)
            .arg(length)
            .arg(spec.worldSize)
            .arg(spec.batchSize);
    }
    if (spec.kind == SamplerKind::kUnpadded) {
        return epochSummaryText("%1 / %2: nothing is repeated, so some ranks may have one more sample")
            .arg(length)
            .arg(spec.worldSize);
    }
    return epochSummaryText("%1(%2 / %3): every rank gets the same number of samples")
        .arg(round)
        .arg(length)
        .arg(spec.pitfalls.wrongWorldSize > 0 ? spec.pitfalls.wrongWorldSize : spec.worldSize);
}

// Returns the rows about the number of ranks. In all other rows, W is the number of data-parallel ranks.
QList<EpochSummaryRow> worldRows(std::int64_t dataRanks, const EpochSummaryCounts& counts) {
    const QString name = epochSummaryText("Data-parallel ranks (W)");
    if (counts.devices > 1)
        return {{name, groupedNumber(dataRanks), Tone::Normal,
                 epochSummaryText("W: one process reads every batch and splits it over its devices")},
                {epochSummaryText("Devices"), groupedNumber(counts.devices), Tone::Normal,
                 epochSummaryText("Each device computes its part of the batch; the devices are not ranks")}};
    if (counts.ranks > dataRanks)
        return {
            {name, groupedNumber(dataRanks), Tone::Normal,
             epochSummaryText("W: number of ranks that train on different samples")},
            {epochSummaryText("World size"), groupedNumber(counts.ranks), Tone::Normal,
             epochSummaryText("All ranks: groups of %1 work on the same samples, each rank on its part of the model")
                 .arg(counts.ranks / dataRanks)}};
    return {{epochSummaryText("World size"), groupedNumber(dataRanks), Tone::Normal,
             epochSummaryText("W: the number of ranks")}};
}

// Returns a number as "3", or as "3 or 2" if it differs between the ranks of a sampler that does not pad.
QString eitherText(const ShardNumbers& numbers, std::int64_t RankGroup::*number) {
    const auto& [longer, shorter] = numbers.groups;
    if (!numbers.isUneven() || longer.*number == shorter.*number) return groupedNumber(longer.*number);
    return epochSummaryText("%1 or %2").arg(groupedNumber(longer.*number), groupedNumber(shorter.*number));
}

EpochSummaryRow perRank(const ShardPlan& plan, const ShardNumbers& numbers, const QString& n) {
    return {perRankName(plan.spec(), n), eitherText(numbers, &RankGroup::samples),
            plan.samplesPerRank() == 0 ? Tone::Danger : Tone::Normal, perRankTip(plan, numbers.orderLength)};
}

EpochSummaryRow repeated(const ShardPlan& plan, std::int64_t length) {
    const ShardSpec& spec = plan.spec();
    EpochSummaryRow row{epochSummaryText("Padding (duplicates)"), groupedNumber(plan.padding()),
                        plan.padding() > 0 ? Tone::Warning : Tone::Normal,
                        epochSummaryText("Samples used twice, so that all ranks get the same number")};
    if (isReplicated(spec.kind)) {
        row.name = epochSummaryText("Repeated on other ranks");
        row.tip = epochSummaryText("Nothing is sharded: ranks 1 to %1 train on the same samples as rank 0")
                      .arg(spec.worldSize - 1);
    } else if (plan.padding() > 0 && !spec.pitfalls.any()) {
        row.tip = epochSummaryText("%1 x %2 - %3: samples used twice, so that all ranks get the same number")
                      .arg(plan.samplesPerRank())
                      .arg(spec.worldSize)
                      .arg(length);
    }
    return row;
}

EpochSummaryRow droppedByLoader(const ShardNumbers& numbers) {
    return {epochSummaryText("Dropped by loader"), groupedNumber(numbers.droppedByLoader),
            numbers.droppedByLoader > 0 ? Tone::Danger : Tone::Normal,
            epochSummaryText("%1: the incomplete last batch, if drop_last of the loader is on")
                .arg(loaderDropsText(numbers))};
}

EpochSummaryRow steps(const ShardPlan& plan, const ShardNumbers& numbers) {
    return {epochSummaryText("Steps per epoch"), eitherText(numbers, &RankGroup::steps),
            plan.stepsPerEpoch() == 0 ? Tone::Danger : Tone::Normal,
            (plan.spec().loaderDropLast ? epochSummaryText("floor(%1 / %2)") : epochSummaryText("ceil(%1 / %2)"))
                .arg(eitherText(numbers, &RankGroup::samples))
                .arg(plan.spec().batchSize)};
}

EpochSummaryRow lastBatch(const ShardNumbers& numbers) {
    return {epochSummaryText("Last batch per rank"), eitherText(numbers, &RankGroup::lastBatch), Tone::Normal,
            epochSummaryText("Samples of each rank in the last step")};
}

// Returns the rows about sizes of batches. The sizes are limited to the existing samples: a batch has at most the
// samples of the rank, and the batches of one optimizer step are at most those of the epoch.
QList<EpochSummaryRow> batchRows(const ShardSpec& spec, const ShardNumbers& numbers, std::int64_t accumulateSteps) {
    const auto perRank = [&](std::int64_t batches) {
        QStringList products;
        for (const RankGroup& group : numbers.groups) {
            if (group.ranks == 0) continue;
            products << epochSummaryText("%1 samples per rank x %2 ranks")
                            .arg(group.trained / batches < spec.batchSize ? group.trained : spec.batchSize * batches)
                            .arg(group.ranks);
        }
        products.removeDuplicates();
        return products.join(QStringLiteral(" + "));
    };
    QString tip = perRank(1);
    if (numbers.samplesPerRank < spec.batchSize)
        tip += QLatin1Char('\n') +
               epochSummaryText("A batch of %1 is larger than a rank's shard, so each batch is the whole shard")
                   .arg(spec.batchSize);
    QList<EpochSummaryRow> rows{
        {epochSummaryText("Global batch"), groupedNumber(globalBatch(numbers)), Tone::Normal, tip}};
    if (accumulateSteps <= 1) return rows;
    rows << EpochSummaryRow{epochSummaryText("Effective batch"), groupedNumber(globalBatch(numbers, accumulateSteps)),
                            Tone::Normal,
                            epochSummaryText("Samples per optimizer step, with %2 accumulated batches: %1")
                                .arg(perRank(accumulateSteps))
                                .arg(accumulateSteps)};
    return rows;
}

EpochSummaryRow neverSeen(const Coverage* coverage, qint64 epochs) {
    EpochSummaryRow row;
    row.name = epochSummaryText("Never seen in %1 epochs").arg(groupedNumber(coverage ? coverage->epochs : epochs));
    if ((coverage ? coverage->epochs : epochs) == 1) {
        row.name = epochSummaryText("Never seen in 1 epoch");
    }
    row.value = coverage ? groupedNumber(coverage->neverSeen) : epochSummaryText("counting");
    row.tone = coverage && coverage->neverSeen > 0 ? Tone::Danger : Tone::Normal;
    row.tip = epochSummaryText("Samples that no rank trains on in any of these epochs");
    return row;
}

// Returns the row with the number of different orders over all epochs. If samples are shuffled, a single order for all
// epochs is shown as a mistake.
EpochSummaryRow distinctOrders(const EpochSummaryCounts& counts, qint64 epochs, bool shuffles) {
    EpochSummaryRow row;
    row.name = epochSummaryText("Distinct orders in %1 epochs").arg(groupedNumber(epochs));
    row.value = groupedNumber(counts.changesByEpoch ? epochs : 1);
    row.tone = counts.changesByEpoch ? Tone::Normal : shuffles ? Tone::Danger : Tone::Warning;
    row.tip = counts.changesByEpoch ? epochSummaryText("Each epoch shuffles with a different seed: seed + epoch - 1")
                                    : epochSummaryText("Every epoch assigns the same samples to the same slots") +
                                          QLatin1Char('\n') + counts.sameOrderReason;
    return row;
}

void addSentence(QList<EpochSummaryRow>& rows, const QString& name, const QString& sentence) {
    for (EpochSummaryRow& row : rows) {
        if (row.name == name && !sentence.isEmpty()) row.tip += QLatin1Char('\n') + sentence;
    }
}

void addSentences(QList<EpochSummaryRow>& rows, const ShardPlan& plan, std::int64_t accumulateSteps) {
    const ShardSpec& spec = plan.spec();
    addSentence(rows, epochSummaryText("Samples"), sameOrderSentence(spec));
    addSentence(rows, epochSummaryText("Padding (duplicates)"), duplicatesSentence(plan));
    for (const char* name : {"Dropped by sampler", "Dropped by loader"})
        addSentence(rows, epochSummaryText(name), bothDropLasts(spec));
    for (const char* name : {"Global batch", "Effective batch"}) {
        addSentence(rows, epochSummaryText(name), learningRateSentence(spec, accumulateSteps));
    }
}

}  // namespace

QList<EpochSummaryRow> epochSummaryRows(const ShardPlan& plan, const EpochSummaryCounts& counts, qint64 epochs,
                                        qint64 accumulateSteps) {
    const ShardSpec& spec = plan.spec();
    const ShardNumbers numbers = shardNumbers(spec);
    const auto dropped = static_cast<std::int64_t>(plan.dropped().size());
    QList<EpochSummaryRow> rows;
    rows << EpochSummaryRow{epochSummaryText("Samples"), groupedNumber(spec.datasetSize), Tone::Normal,
                            epochSummaryText("n: number of training samples")};
    const std::optional<EpochSummaryRow> order = orderRow(spec, numbers.orderLength);
    if (order) rows << *order;
    rows << worldRows(spec.worldSize, counts);
    rows << perRank(plan, numbers, order ? QStringLiteral("k") : QStringLiteral("n"))
         << repeated(plan, numbers.orderLength);
    rows << EpochSummaryRow{epochSummaryText("Dropped by sampler"), groupedNumber(dropped),
                            dropped > 0 ? Tone::Danger : Tone::Normal,
                            epochSummaryText("Last samples of the order, which cannot be divided evenly over the "
                                             "ranks; dropped if drop_last of the sampler is on")};
    rows << droppedByLoader(numbers) << steps(plan, numbers);
    rows << batchRows(spec, numbers, accumulateSteps);
    rows << lastBatch(numbers);
    rows << EpochSummaryRow{epochSummaryText("Unique seen"),
                            counts.unique ? epochSummaryText("%1 (%2)").arg(groupedNumber(*counts.unique),
                                                                            share(*counts.unique, spec.datasetSize))
                                          : epochSummaryText("counting"),
                            Tone::Normal, epochSummaryText("Distinct samples used in this epoch")};
    rows << neverSeen(counts.coverage, epochs);
    if (epochs > 1) rows << distinctOrders(counts, epochs, spec.shuffle);
    addSentences(rows, plan, accumulateSteps);
    return rows;
}

}  // namespace ringside
