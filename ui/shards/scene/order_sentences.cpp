// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/scene/order_sentences.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "sampling/plan/shard_layout.h"
#include "shards/scene/cell_text.h"

namespace ringside {
namespace {

// Returns the seed of the order as "seeded with seed + epoch - 1 = 0 + 2 = 2", or states that every epoch has the same
// seed.
QString seeded(const ShardScene& scene) {
    const ShardSpec& spec = scene.plan.spec();
    if (scene.setEpoch) return gridText("seeded with %1").arg(seedSum(spec));
    return gridText("seeded with %1 + 0 in every epoch: set_epoch is not called").arg(plainNumber(spec.seed));
}

QString subsetSentence(const ShardScene& scene) {
    const ShardSpec& spec = scene.plan.spec();
    const std::int64_t size = ShardLayout::of(spec).orderLength;
    const QString chosen =
        spec.subsetIndices.empty()
            ? gridText("The subset is the first %1 of randperm(%2) seeded with %3, in all epochs")
                  .arg(plainNumber(size), plainNumber(spec.datasetSize), plainNumber(spec.subsetSeed))
            : gridText("The subset contains the %1 listed samples").arg(groupedNumber(size));
    if (!spec.shuffle) return chosen + gridText("; shuffle is off, so the samples keep this order.");
    return chosen + gridText("; the samples are shuffled by randperm(%1), %2.").arg(plainNumber(size), seeded(scene));
}

QString shuffledSentence(const ShardScene& scene, std::optional<int> rank) {
    const ShardSpec& spec = scene.plan.spec();
    if (!spec.shuffle) {
        return spec.pitfalls.doubleSharding
                   ? gridText("Shuffle is off, so the part that each rank splits off keeps its order.")
                   : gridText(
                         "Shuffle is off, so the order is 0, 1, 2, ...: position p holds sample p in every epoch.");
    }
    const QString length = plainNumber(ShardLayout::of(spec).orderLength);
    if (spec.pitfalls.seedPerRank) {
        return rank
                   ? gridText("This rank's order is randperm(%1), seeded with %2: every rank has a different order.")
                         .arg(length, seedSum(spec, rank))
                   : gridText("Every rank uses its own randperm(%1), seeded with seed + epoch - 1 + rank.").arg(length);
    }
    return scene.setEpoch ? gridText("The order is randperm(%1), %2.").arg(length, seeded(scene))
                          : gridText("The order is randperm(%1) %2.").arg(length, seeded(scene));
}

std::vector<std::int64_t> classCounts(const ShardScene& scene) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(scene.data->classCount()));
    for (const std::uint16_t label : *scene.labels) ++counts[std::min<std::size_t>(label, counts.size() - 1)];
    return counts;
}

// Explains how often the sample is expected in the sequence of draws because of its weight, and how often it is drawn.
QString weightSentence(const ShardScene& scene, GridCell cell, std::int64_t sample) {
    const ShardSpec& spec = scene.plan.spec();
    const std::vector<std::int64_t> counts = classCounts(scene);
    const auto label = static_cast<std::size_t>(scene.data->label(sample));
    const bool given = spec.classWeights.size() == counts.size();
    double total = 0;
    for (std::size_t one = 0; one < counts.size(); ++one) {
        if (counts[one] > 0)
            total += given ? static_cast<double>(spec.classWeights[one]) * static_cast<double>(counts[one]) : 1;
    }
    const double weight =
        given ? static_cast<double>(spec.classWeights[label]) : 1 / static_cast<double>(counts[label]);
    const std::int64_t draws = ShardLayout::of(spec).orderLength;
    std::int64_t drawn = 0;
    for (const SampleSlot& place : scene.plan.usesOf(sample)) {
        drawn += isReplicated(spec.kind) ? place.rank == cell.rank : place.position < draws;
    }
    const QString weightText =
        given ? plainNumber(spec.classWeights[label]) : QStringLiteral("1 / %1").arg(counts[label]);
    return gridText(
               "%1 has %2 samples of weight %3 each. In %4 draws each of them is expected %5 times; this sample is "
               "drawn %6 times.")
        .arg(className(scene, sample), groupedNumber(counts[label]), weightText, groupedNumber(draws),
             QLocale().toString(static_cast<double>(draws) * weight / total, 'f', 1), groupedNumber(drawn));
}

QString turnSentence(const ShardScene& scene, GridCell cell, std::int64_t sample) {
    const ShardPlan& plan = scene.plan;
    const std::vector<std::int64_t> counts = classCounts(scene);
    const std::int64_t filled = std::ranges::count_if(counts, [](auto n) { return n > 0; });
    const std::int64_t classes = std::max<std::int64_t>(filled, 1);
    const std::int64_t place = ShardLayout::of(plan.spec()).orderIndex(plan.position(cell.rank, cell.slot));
    const std::int64_t members = std::max<std::int64_t>(1, counts[static_cast<std::size_t>(scene.data->label(sample))]);
    const std::int64_t turn = place / classes;
    return gridText(
               "The %1 classes alternate: position %2 is number %2 div %1 = %3 of %4, which uses sample %3 mod %5 = %6 "
               "of its %5 samples.")
        .arg(plainNumber(classes), plainNumber(place), plainNumber(turn), className(scene, sample),
             plainNumber(members), plainNumber(turn % members));
}

}  // namespace

QString orderSentence(const ShardScene& scene, std::optional<int> rank) {
    const ShardSpec& spec = scene.plan.spec();
    switch (spec.kind) {
        case SamplerKind::kSequential:
            return gridText("SequentialSampler uses the order of the data set, 0, 1, 2, ..., in every epoch.");
        case SamplerKind::kRandom:
            return gridText(
                       "After torch.manual_seed(%1), the loader draws its own seed, and RandomSampler then draws the "
                       "seed for randperm(%2).")
                .arg(seedSum(spec), plainNumber(spec.datasetSize));
        case SamplerKind::kWeighted:
        case SamplerKind::kDistributedWeighted:
            return gridText("The sequence consists of %1 draws with replacement, %2.")
                .arg(groupedNumber(ShardLayout::of(spec).orderLength), seeded(scene));
        case SamplerKind::kClassBalanced:
            return spec.shuffle
                       ? gridText("The classes alternate; the samples of each class are shuffled, %1.")
                             .arg(seeded(scene))
                       : gridText("The classes alternate; the samples of each class are in the order of the data set.");
        case SamplerKind::kSubset:
            return subsetSentence(scene);
        case SamplerKind::kDistributed:
        case SamplerKind::kBatchSharded:
        case SamplerKind::kContiguous:
        case SamplerKind::kUnpadded:
            break;
    }
    return shuffledSentence(scene, rank);
}

bool changesByEpoch(const ShardScene& scene) {
    const ShardSpec& spec = scene.plan.spec();
    if (spec.kind == SamplerKind::kSequential) return false;
    if (spec.kind == SamplerKind::kRandom) return true;
    const bool draws = spec.kind == SamplerKind::kWeighted || spec.kind == SamplerKind::kDistributedWeighted;
    return (spec.shuffle || draws) && scene.setEpoch;
}

QString sameOrderReason(const ShardScene& scene) {
    if (scene.plan.spec().kind == SamplerKind::kSequential) {
        return gridText("SequentialSampler uses the order of the data set in every epoch.");
    }
    return !scene.plan.spec().shuffle
               ? gridText("Shuffle is off, so every epoch has the order of the data set.")
               : gridText(
                     "set_epoch is not called, so every epoch is shuffled with the seed of epoch 0: "
                     "call sampler.set_epoch(epoch) before each epoch.");
}

QString drawSentence(const ShardScene& scene, GridCell cell) {
    const SamplerKind kind = scene.plan.spec().kind;
    if (!needsClasses(kind) || !scene.labels || !scene.data) return {};
    const std::int64_t sample = scene.plan.index(cell.rank, cell.slot);
    return kind == SamplerKind::kClassBalanced ? turnSentence(scene, cell, sample)
                                               : weightSentence(scene, cell, sample);
}

}  // namespace ringside
