// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/summary/epoch_summary_sentences.h"

#include <QStringList>
#include <algorithm>

#include "sampling/findings/plan_sentences.h"
#include "sampling/plan/shard_numbers.h"
#include "shards/scene/sentence_text.h"

namespace ringside {
namespace {

constexpr qsizetype kDuplicatesListed = 8;  // number of duplicates listed before "and N more"

}  // namespace

QString duplicatesSentence(const ShardPlan& plan) {
    if (isReplicated(plan.spec().kind)) return {};
    QStringList named;
    for (std::int64_t slot = plan.samplesPerRank() - 1; slot >= 0 && named.size() < kDuplicatesListed; --slot) {
        QStringList ofSlot;
        for (int rank = 0; rank < plan.spec().worldSize; ++rank) {
            if (slot < plan.samplesOf(rank) && plan.isPadded(rank, slot)) {
                ofSlot << epochSummaryText("rank %1 trains on sample %2 again").arg(rank).arg(plan.index(rank, slot));
            }
        }
        if (ofSlot.isEmpty()) break;
        named = ofSlot + named;
    }
    if (named.isEmpty()) return {};
    named = named.mid(0, kDuplicatesListed);
    const std::int64_t more = plan.padding() - named.size();
    const QString list = named.join(QStringLiteral(", "));
    return (more > 0 ? epochSummaryText("%1, and %2 more").arg(list, groupedNumber(more)) : list) + QLatin1Char('.');
}

QString loaderDropsText(const ShardNumbers& numbers) {
    const auto& [longer, shorter] = numbers.groups;
    if (!numbers.isUneven() || longer.droppedByLoader == shorter.droppedByLoader) {
        return epochSummaryText("%1 samples on each rank").arg(groupedNumber(longer.droppedByLoader));
    }
    QStringList counts;
    for (const RankGroup& group : numbers.groups) {
        counts << (group.ranks == 1 ? epochSummaryText("%1 on 1 rank").arg(groupedNumber(group.droppedByLoader))
                                    : epochSummaryText("%1 on %2 ranks")
                                          .arg(groupedNumber(group.droppedByLoader), groupedNumber(group.ranks)));
    }
    return counts.join(epochSummaryText(" and "));
}

QString bothDropLasts(const ShardSpec& spec) {
    ShardSpec sampler = spec, loader = spec;
    sampler.dropLast = true;
    loader.loaderDropLast = true;
    const ShardNumbers dropped = shardNumbers(sampler);
    const ShardNumbers byLoader = shardNumbers(loader);
    QString first = epochSummaryText("This sampler has no drop_last");
    if (takesDropLast(spec.kind)) {
        const QString divisor = assignsBatches(spec.kind)
                                    ? QStringLiteral("%1 x %2").arg(spec.worldSize).arg(spec.batchSize)
                                    : QString::number(spec.worldSize);
        first = epochSummaryText(
                    "drop_last of the sampler drops %1 = %2 mod %3 = %4 samples before the assignment, so nothing is "
                    "repeated")
                    .arg(assignsBatches(spec.kind) ? QStringLiteral("n mod (W x B)") : QStringLiteral("n mod W"))
                    .arg(dropped.orderLength)
                    .arg(assignsBatches(spec.kind) ? QLatin1Char('(') + divisor + QLatin1Char(')') : divisor)
                    .arg(groupedNumber(dropped.droppedBySampler));
    }
    return first + epochSummaryText("; drop_last of the loader drops the incomplete last batch: %1, %2 in total.")
                       .arg(loaderDropsText(byLoader), groupedNumber(byLoader.droppedByLoader));
}

// Explains that the generator depends only on seed + epoch.
QString sameOrderSentence(const ShardSpec& spec) {
    constexpr std::int64_t kPlain = 1'000'000'000'000;  // largest seed and epoch for which the explanation is shown, so
                                                        // that its sums fit into 64 bits
    if (spec.kind == SamplerKind::kSequential)
        return epochSummaryText("Samples are in the order of the data set: the seed is not used.");
    const bool draws = needsClasses(spec.kind) || spec.kind == SamplerKind::kRandom;
    if (!spec.shuffle && !draws) return epochSummaryText("Shuffle is off: the seed is not used.");
    if (!spec.shuffle && spec.kind == SamplerKind::kClassBalanced) return {};
    if (spec.seed < -kPlain || spec.seed > kPlain || spec.epoch > kPlain) return {};
    const std::int64_t sum = spec.seed + spec.epoch;
    const QString other = spec.epoch > 0 ? epochSummaryText("seed %1 has the same order in epoch 1").arg(sum)
                                         : epochSummaryText("seed %1 has the same order in epoch 2").arg(sum - 1);
    return epochSummaryText(
               "The generator is seeded with seed + epoch - 1 = %1 + %2 = %3, so %4. Runs with nearly equal seeds "
               "share most of their orders.")
        .arg(spec.seed)
        .arg(spec.epoch)
        .arg(sum)
        .arg(other);
}

QString learningRateSentence(const ShardSpec& spec, std::int64_t accumulateSteps) {
    const std::int64_t factor = spec.worldSize * accumulateSteps;
    if (factor < 2) return {};
    if (isReplicated(spec.kind) && spec.worldSize > 1) {
        return epochSummaryText(
                   "All ranks train on the same samples: the effective batch is only %1, and each step is slower.")
            .arg(groupedNumber(spec.batchSize * accumulateSteps));
    }
    const ShardNumbers numbers = shardNumbers(spec);
    const std::int64_t batch = std::min(spec.batchSize, numbers.groups[0].trained);
    const std::int64_t all = globalBatch(numbers, accumulateSteps);
    if (batch < 1) return {};
    return epochSummaryText(
               "A learning rate that was chosen for batches of %1 on one rank is usually multiplied by %2 for batches "
               "of %3 (linear scaling rule, with warm-up).")
        .arg(groupedNumber(batch))
        .arg(static_cast<double>(all) / static_cast<double>(batch), 0, 'g', 4)
        .arg(groupedNumber(all));
}

}  // namespace ringside
