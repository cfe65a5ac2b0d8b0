// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/scene/assignment_sentences.h"

#include <QStringList>
#include <algorithm>
#include <set>
#include <span>

#include "sampling/plan/shard_layout.h"
#include "sampling/plan/shard_numbers.h"

namespace ringside {
namespace {

constexpr std::int64_t kListed = 4;  // number of samples listed before "and N more"

using Rule = ShardLayout::Rule;

QString listed(std::span<const std::uint32_t> samples, std::int64_t count) {
    QStringList names;
    const auto size = static_cast<std::int64_t>(samples.size());
    for (std::int64_t at = 0; at < std::min(count, kListed); ++at) {
        names << plainNumber(samples[static_cast<std::size_t>(at % size)]);
    }
    const QString list = names.join(QStringLiteral(", "));
    return count > kListed ? gridText("%1 and %2 more").arg(list, groupedNumber(count - kListed)) : list;
}

QString otherRanks(const ShardPlan& plan, GridCell cell) {
    const std::int64_t sample = plan.index(cell.rank, cell.slot);
    std::set<int> others;
    for (const SampleSlot& place : plan.usesOf(sample)) {
        if (place.rank != cell.rank) others.insert(place.rank);
    }
    if (others.empty()) return gridText("No other rank trains on sample %1 in this epoch.").arg(plainNumber(sample));
    QStringList names;
    for (const int rank : others) {
        if (names.size() < kListed) names << gridText("rank %1").arg(rank);
    }
    const auto more = static_cast<std::int64_t>(others.size()) - names.size();
    const QString list = names.join(QStringLiteral(", "));
    return gridText("Sample %1 is also trained on by %2.")
        .arg(plainNumber(sample), more > 0 ? gridText("%1 and %2 more").arg(list, groupedNumber(more)) : list);
}

QString halvedSentence(const ShardPlan& plan, GridCell cell) {
    const std::int64_t world = ShardLayout::of(plan.spec()).worldSize;
    const std::int64_t claimedRank = plan.spec().pitfalls.wrongRank < 0 ? cell.rank : plan.spec().pitfalls.wrongRank;
    const std::int64_t sample = plan.index(cell.rank, cell.slot);
    const QString part =
        gridText("The data was already split: this rank holds only %4 samples, %1, %2, %3, ...")
            .arg(plainNumber(claimedRank), plainNumber(claimedRank + world), plainNumber(claimedRank + 2 * world),
                 groupedNumber(ShardLayout::of(plan.spec()).orderLength));
    if (sample < claimedRank || (sample - claimedRank) % world != 0) return part + QLatin1Char('.');
    return part + gridText("; sample %1 + %2 x %3 = %4 has index %3 among these samples.")
                      .arg(plainNumber(claimedRank), plainNumber(world), plainNumber((sample - claimedRank) / world),
                           plainNumber(sample));
}

QString batchPositionSentence(const ShardLayout& layout, const QString& name, std::int64_t position) {
    const std::int64_t batch = position / layout.batchSize;
    return gridText(
               "The sample is at position %1 of the %2, in batch %1 div %3 = %4. Whole batches are assigned to the "
               "ranks in turn: %4 mod %5 = %6, slot %7 x %3 + %8 = %9.")
        .arg(plainNumber(position), name, plainNumber(layout.batchSize), plainNumber(batch),
             plainNumber(layout.worldSize), plainNumber(batch % layout.worldSize),
             plainNumber(batch / layout.worldSize), plainNumber(position % layout.batchSize),
             plainNumber(layout.slotAt(position)));
}

}  // namespace

QString seedSum(const ShardSpec& spec, std::optional<int> rank) {
    // The sum seed + epoch may exceed 2^63 - 1, because a plan allows sums up to 2^64 - 1.
    const std::uint64_t shift = rank ? static_cast<std::uint64_t>(*rank) : 0;
    const auto sum = static_cast<std::uint64_t>(spec.seed) + static_cast<std::uint64_t>(spec.epoch) + shift;
    const bool negative = spec.seed < 0 && spec.seed + spec.epoch + static_cast<std::int64_t>(shift) < 0;
    const QString total = negative ? plainNumber(static_cast<std::int64_t>(sum)) : QString::number(sum);
    if (rank) {
        return gridText("seed + epoch - 1 + rank = %1 + %2 + %3 = %4")
            .arg(plainNumber(spec.seed), plainNumber(spec.epoch), plainNumber(*rank), total);
    }
    return gridText("seed + epoch - 1 = %1 + %2 = %3").arg(plainNumber(spec.seed), plainNumber(spec.epoch), total);
}

QString orderName(const ShardPlan& plan) {
    const ShardSpec& spec = plan.spec();
    const bool padded = plan.padding() > 0 && !isReplicated(spec.kind);
    if (spec.kind == SamplerKind::kWeighted || spec.kind == SamplerKind::kDistributedWeighted) {
        return padded ? gridText("padded sequence of draws") : gridText("sequence of draws");
    }
    if (spec.kind == SamplerKind::kSequential) return gridText("order");
    if (padded) return gridText("padded order");
    return spec.shuffle || spec.kind == SamplerKind::kRandom ? gridText("shuffled order") : gridText("order");
}

std::int64_t orderPosition(const ShardPlan& plan, GridCell cell) {
    return isReplicated(plan.spec().kind) ? cell.slot : plan.position(cell.rank, cell.slot);
}

QString positionSentence(const ShardPlan& plan, GridCell cell) {
    const ShardLayout layout = ShardLayout::of(plan.spec());
    const std::int64_t position = orderPosition(plan, cell);
    const QString p = plainNumber(position), world = plainNumber(layout.worldSize), name = orderName(plan);
    if (isReplicated(plan.spec().kind)) {
        return plan.spec().worldSize == 1
                   ? gridText("The only rank uses the complete %1: slot %2 is position %2.").arg(name, p)
                   : gridText(
                         "Nothing is sharded: each of %1 ranks uses the complete %2, and slot %3 is position %3 on all "
                         "of them.")
                         .arg(plainNumber(plan.spec().worldSize), name, p);
    }
    if (layout.rule == Rule::kByBatch) return batchPositionSentence(layout, name, position);
    if (layout.rule == Rule::kBlocks) {
        return gridText(
                   "The sample is at position %1 of the %2, which is split into one block of %3 per rank: %1 div %3 = "
                   "%4, slot %1 mod %3 = %5.")
            .arg(p, name, plainNumber(layout.samplesPerRank), plainNumber(cell.rank), plainNumber(cell.slot));
    }
    const std::int64_t rankByRule = position % layout.worldSize;
    if (rankByRule != cell.rank) {
        return gridText(
                   "Every process passes rank=%1 to the sampler, so this rank also uses position %2 of the %3: %2 mod "
                   "%4 = %1, slot %2 div %4 = %5.")
            .arg(plainNumber(rankByRule), p, name, world, plainNumber(cell.slot));
    }
    return gridText("The sample is at position %1 of the %2, and %1 mod %3 = %4; slot %1 div %3 = %5.")
        .arg(p, name, world, plainNumber(cell.rank), plainNumber(cell.slot));
}

QString ruleSentence(const ShardPlan& plan) {
    const ShardSpec& spec = plan.spec();
    const ShardLayout layout = ShardLayout::of(spec);
    const QString each = groupedNumber(layout.samplesPerRank), batch = groupedNumber(spec.batchSize);
    if (isReplicated(spec.kind)) {
        return gridText("Nothing is sharded: each of %1 ranks uses all %2 positions, in batches of %3.")
            .arg(groupedNumber(spec.worldSize), each, batch);
    }
    if (layout.rule == Rule::kByBatch) {
        return gridText(
                   "The order is split into batches of %1; rank r uses batches r, r + %2, r + 2 x %2, ..., %3 each.")
            .arg(batch, plainNumber(layout.worldSize), groupedNumber(layout.samplesPerRank / layout.batchSize));
    }
    if (layout.rule == Rule::kBlocks) {
        return gridText("Rank r uses one block, positions r x %1 to (r + 1) x %1 - 1, in batches of %2.")
            .arg(plainNumber(layout.samplesPerRank), batch);
    }
    if (layout.uneven && layout.orderLength % layout.worldSize != 0) {
        return gridText(
                   "Rank r uses positions r, r + %1, r + 2 x %1, ..., which are %2 or %3 samples, in batches of %4.")
            .arg(plainNumber(layout.worldSize), each, groupedNumber(layout.samplesPerRank - 1), batch);
    }
    return gridText("Rank r uses positions r, r + %1, r + 2 x %1, ..., which are %2 samples, in batches of %3.")
        .arg(plainNumber(layout.worldSize), each, batch);
}

QString stepSentence(const ShardPlan& plan, GridCell cell) {
    const ShardSpec& spec = plan.spec();
    const ShardLayout layout = ShardLayout::of(spec);
    const std::int64_t step = cell.slot / spec.batchSize;
    const SlotRange batch = plan.batch(step);
    const std::int64_t last = batch.first + batch.count - 1;
    const auto sentence = [&](const QString& text) {
        return text.arg(groupedNumber(step + 1), groupedNumber(plan.stepsPerEpoch()), plainNumber(batch.first),
                        plainNumber(last));
    };
    if (spec.pitfalls.any() || spec.worldSize == 1)
        return sentence(gridText("Step %1 of %2 uses slots %3 to %4 of every rank."));
    if (isReplicated(spec.kind)) {
        return sentence(gridText("Step %1 of %2 uses slots %3 to %4 on all %5 ranks: only %7 of its %6 samples are "
                                 "distinct."))
            .arg(plainNumber(spec.worldSize), groupedNumber(batch.count * spec.worldSize), groupedNumber(batch.count));
    }
    if (layout.rule == Rule::kBlocks) {
        return sentence(gridText("Step %1 of %2 uses slots %3 to %4 of every block: here positions %5 to %6 of the "
                                 "order."))
            .arg(plainNumber(layout.position(cell.rank, batch.first)), plainNumber(layout.position(cell.rank, last)));
    }
    // number of ranks with one sample less than the other ranks
    const std::int64_t others = spec.worldSize - layout.longerRanks();
    if (others > 0 && spec.loaderDropLast && plan.batch(static_cast<int>(spec.worldSize) - 1, step).count == 0) {
        const QString ranks =
            layout.longerRanks() == 1 ? gridText("rank 0") : gridText("ranks 0 to %1").arg(layout.longerRanks() - 1);
        return sentence(gridText("Step %1 of %2 uses slots %3 to %4 of %5; the other ranks have no complete batch."))
            .arg(ranks);
    }
    const std::int64_t end = std::min((batch.first + batch.count) * spec.worldSize, layout.totalSize()) - 1;
    if (layout.uneven && end + 1 < (batch.first + batch.count) * spec.worldSize) {
        return sentence(gridText("Step %1 of %2 uses slots %3 to %4, if the rank has that many: positions %5 to %6 of "
                                 "the order."))
            .arg(plainNumber(batch.first * spec.worldSize), plainNumber(end));
    }
    return sentence(gridText("Step %1 of %2 uses slots %3 to %4 of every rank: positions %5 to %6 of the order."))
        .arg(plainNumber(batch.first * spec.worldSize), plainNumber(end));
}

QString mistakeSentence(const ShardPlan& plan, GridCell cell) {
    const PitfallsConfig& pitfalls = plan.spec().pitfalls;
    if (pitfalls.doubleSharding) return halvedSentence(plan, cell);
    if (pitfalls.seedPerRank || pitfalls.wrongRank >= 0) return otherRanks(plan, cell);
    if (pitfalls.wrongWorldSize <= plan.spec().worldSize) return {};
    const QString least = plainNumber(plan.spec().worldSize), most = plainNumber(pitfalls.wrongWorldSize - 1);
    const QString claimed = plainNumber(pitfalls.wrongWorldSize);
    return least == most
               ? gridText("There is no rank %1, so no rank trains on positions p with p mod %2 = %1.")
                     .arg(least, claimed)
               : gridText("There are no ranks %1 to %2, so no rank trains on positions p with p mod %3 from %1 to %2.")
                     .arg(least, most, claimed);
}

QString paddingSentence(const ShardPlan& plan) {
    const std::int64_t n = ShardLayout::of(plan.spec()).orderLength;
    const QString samples = listed(plan.order(), plan.padding());
    if (plan.padding() == 1) {
        return gridText("The order has only %1 samples, so position %2 repeats the first one: %3.")
            .arg(groupedNumber(n), plainNumber(n), samples);
    }
    return gridText("The order has only %1 samples, so positions %2 to %3 repeat the first %4: %5.")
        .arg(groupedNumber(n), plainNumber(n), plainNumber(plan.totalSize() - 1), groupedNumber(plan.padding()),
             samples);
}

QString copySentence(const ShardPlan& plan, GridCell cell) {
    const ShardLayout layout = ShardLayout::of(plan.spec());
    const std::int64_t first = layout.orderIndex(plan.position(cell.rank, cell.slot));
    const std::int64_t slot = layout.slotAt(first);
    return gridText("The sample is first used at position %1: rank %2, slot %3, step %4.")
        .arg(plainNumber(first), plainNumber(layout.rankAt(first)), plainNumber(slot),
             plainNumber(slot / plan.spec().batchSize + 1));
}

QString wouldDropSentence(const ShardPlan& plan) {
    ShardSpec dropping = plan.spec();
    dropping.dropLast = true;
    const ShardLayout layout = ShardLayout::of(dropping);
    const std::int64_t kept = layout.samplesPerRank * layout.worldSize;
    if (kept == 0) return gridText("If drop_last of the sampler were on, no rank would get any sample.");
    const auto lost = plan.order().subspan(static_cast<std::size_t>(kept));
    const auto count = static_cast<std::int64_t>(lost.size());
    return count == 1 ? gridText("If drop_last of the sampler were on, sample %1 would be dropped instead.")
                            .arg(listed(lost, 1))
                      : gridText("If drop_last of the sampler were on, samples %1 would be dropped instead.")
                            .arg(listed(lost, count));
}

QString loaderSentence(const ShardPlan& plan, int rank) {
    const std::int64_t batch = plan.spec().batchSize;
    const std::int64_t own = plan.samplesOf(rank);
    return gridText(
               "The rank has %1 = %2 x %3 + %4 samples: drop_last of the loader drops the last %4, so the sample is "
               "not used in this epoch.")
        .arg(plainNumber(own), plainNumber(own / batch), plainNumber(batch), plainNumber(own % batch));
}

QString withoutDropSentence(const ShardPlan& plan, std::int64_t position) {
    ShardSpec keeping = plan.spec();
    keeping.dropLast = false;
    const ShardLayout layout = ShardLayout::of(keeping);
    const std::int64_t padding = shardNumbers(keeping).padding;
    const QString tail = padding == 1 ? gridText("1 sample would be repeated.")
                                      : gridText("%1 samples would be repeated.").arg(groupedNumber(padding));
    if (layout.rule == Rule::kRoundRobin) {
        return gridText(
                   "If drop_last of the sampler were off, the sample would be assigned to rank %1 mod %2 = %3, and %4")
            .arg(plainNumber(position), plainNumber(layout.worldSize), plainNumber(layout.rankAt(position)), tail);
    }
    return gridText("If drop_last of the sampler were off, the sample would be assigned to rank %1, slot %2, and %3")
        .arg(plainNumber(layout.rankAt(position)), plainNumber(layout.slotAt(position)), tail);
}

}  // namespace ringside
