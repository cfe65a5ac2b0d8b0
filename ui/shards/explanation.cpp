// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/explanation.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>
#include <vector>

#include "shards/cell_painter.h"
#include "shards/row_text.h"

namespace ringside {
namespace {

constexpr std::int64_t kListed = 4;  // samples named in a sentence before "and N more"

QString text(const char* source) {
    return QCoreApplication::translate("Loom", source);
}
QString number(std::int64_t value) {
    return QLocale().toString(static_cast<qlonglong>(value));
}
QString plain(std::int64_t value) {
    return QString::number(value);
}

// seed + epoch may pass 2^63 - 1; the plan allows it up to 2^64 - 1.
QString seedSum(const ShardSpec& spec) {
    const auto sum = static_cast<std::uint64_t>(spec.seed) + static_cast<std::uint64_t>(spec.epoch);
    const bool negative = spec.seed < 0 && spec.seed + spec.epoch < 0;
    return negative ? plain(spec.seed + spec.epoch) : QString::number(static_cast<qulonglong>(sum));
}

QString listed(std::span<const std::uint32_t> samples, std::int64_t count) {
    QStringList names;
    const auto size = static_cast<std::int64_t>(samples.size());
    for (std::int64_t at = 0; at < std::min(count, kListed); ++at) {
        names << plain(samples[static_cast<std::size_t>(at % size)]);
    }
    const QString list = names.join(QStringLiteral(", "));
    return count > kListed ? text("%1 and %2 more").arg(list, number(count - kListed)) : list;
}

QString orderName(const ShardPlan& plan) {
    if (plan.padding() > 0) return text("padded order");
    return plan.spec().shuffle ? text("shuffled order") : text("order");
}

QString orderSentence(const ShardScene& scene) {
    const ShardSpec& spec = scene.plan.spec();
    if (!spec.shuffle) {
        return text("Shuffle is off, so the order is 0, 1, 2, ...: position p holds sample p in every epoch.");
    }
    if (!scene.setEpoch) {
        return text("The order is randperm(%1) seeded with %2 + 0 in every epoch: set_epoch is not called.")
            .arg(plain(spec.datasetSize), plain(spec.seed));
    }
    return text("The order is randperm(%1), seeded with seed + epoch = %2 + %3 = %4.")
        .arg(plain(spec.datasetSize), plain(spec.seed), plain(spec.epoch), seedSum(spec));
}

QString stepSentence(const ShardPlan& plan, const CellContent& content) {
    const SlotRange batch = plan.batch(content.step);
    const std::int64_t world = plan.spec().worldSize;
    return text("Step %1 of %2 takes slots %3 to %4 of every rank: positions %5 to %6 of the order.")
        .arg(number(content.step + 1), number(plan.stepsPerEpoch()), plain(batch.first),
             plain(batch.first + batch.count - 1), plain(batch.first * world),
             plain((batch.first + batch.count) * world - 1));
}

QString loaderSentence(const ShardPlan& plan) {
    const std::int64_t batch = plan.spec().batchSize;
    return text(
               "Each rank has %1 = %2 x %3 + %4 samples: drop_last of the loader leaves the last %4 out, so it is not "
               "trained in this epoch.")
        .arg(plain(plan.samplesPerRank()), plain(plan.stepsPerEpoch()), plain(batch), plain(plan.droppedByLoader()));
}

QString copiesSentence(const ShardPlan& plan, const CellContent& content) {
    const std::int64_t first = content.position % plan.spec().datasetSize;
    const std::int64_t world = plan.spec().worldSize;
    const std::int64_t slot = first / world;
    QString sentence =
        text("Its first copy is position %1: rank %2, slot %3, step %4.")
            .arg(plain(first), plain(first % world), plain(slot), plain(slot / plan.spec().batchSize + 1));
    const std::int64_t kept = plan.spec().datasetSize / world * world;
    if (kept == 0) {
        return sentence + QLatin1Char(' ') + text("With drop_last on the sampler no rank would get any sample.");
    }
    const auto lost = plan.order().subspan(static_cast<std::size_t>(kept));
    const auto count = static_cast<std::int64_t>(lost.size());
    return sentence + QLatin1Char(' ') +
           (count == 1
                ? text("With drop_last on the sampler, sample %1 would be dropped instead.").arg(listed(lost, 1))
                : text("With drop_last on the sampler, samples %1 would be dropped instead.").arg(listed(lost, count)));
}

QString paddingSentence(const ShardPlan& plan) {
    const std::int64_t n = plan.spec().datasetSize;
    const QString samples = listed(plan.order(), plan.padding());
    if (plan.padding() == 1) {
        return text("The order has only %1 samples, so position %2 repeats its first: %3.")
            .arg(number(n), plain(n), samples);
    }
    return text("The order has only %1 samples, so positions %2 to %3 repeat its first %4: %5.")
        .arg(number(n), plain(n), plain(plan.totalSize() - 1), number(plan.padding()), samples);
}

Explanation explainDropped(const ShardScene& scene, const CellContent& content) {
    const ShardPlan& plan = scene.plan;
    const std::int64_t world = plan.spec().worldSize;
    Explanation result;
    result.title = text("Why does no rank get sample %1?").arg(plain(content.sample));
    result.lines
        << text("It is position %1 of the order, and drop_last of the sampler deals only the first %2 x %3 = %4.")
               .arg(plain(content.position), plain(plan.samplesPerRank()), plain(world), plain(plan.totalSize()));
    result.lines << text("Without drop_last it would go to rank %1 mod %2 = %3, and %4 samples would be repeated.")
                        .arg(plain(content.position), plain(world), plain(content.position % world),
                             plain(world - plan.spec().datasetSize % world));
    result.lines << (plan.spec().shuffle && scene.setEpoch
                         ? text("Another epoch shuffles anew and drops other samples.")
                         : text("Every epoch has the same order, so it is never seen."));
    return result;
}

}  // namespace

Explanation explain(const ShardScene& scene, LoomCell cell) {
    const ShardPlan& plan = scene.plan;
    const CellContent content = cellContent(plan, cell.rank, cell.slot);
    if (content.kind == CellKind::DroppedBySampler) {
        return explainDropped(scene, content);
    }
    const QString p = plain(content.position);
    const QString world = plain(plan.spec().worldSize);
    Explanation result;
    result.title = text("Why is sample %1 on rank %2?").arg(plain(content.sample), plain(cell.rank));
    result.lines << text("It is position %1 of the %2, and %1 mod %3 = %4; slot %1 div %3 = %5.")
                        .arg(p, orderName(plan), world, plain(cell.rank), plain(cell.slot));
    if (plan.isPadded(cell.rank, cell.slot)) {
        result.lines << paddingSentence(plan) << copiesSentence(plan, content);
    } else {
        result.lines << orderSentence(scene);
        if (content.step >= 0) result.lines << stepSentence(plan, content);
    }
    if (content.kind == CellKind::DroppedByLoader) {
        result.lines << loaderSentence(plan);
    }
    return result;
}

Explanation explainNothing(const ShardScene& scene) {
    const ShardPlan& plan = scene.plan;
    const ShardSpec& spec = plan.spec();
    Explanation result;
    result.title = text("Which rank gets which sample?");
    result.lines << orderSentence(scene);
    result.lines << text("Rank r takes positions r, r + %1, r + 2 x %1, ... of it, %2 samples each, in batches of %3.")
                        .arg(plain(spec.worldSize), number(plan.samplesPerRank()), number(spec.batchSize));
    if (plan.droppedByLoader() > 0) {
        result.lines
            << text("drop_last of the loader leaves the last %1 samples of every rank out; they are shown dashed.")
                   .arg(number(plan.droppedByLoader()));
    } else if (plan.padding() > 0) {
        result.lines << paddingSentence(plan);
    } else if (!plan.dropped().empty()) {
        result.lines << text("The last %1 positions are dropped by the sampler; they are shown dashed after the end.")
                            .arg(number(static_cast<std::int64_t>(plan.dropped().size())));
    } else {
        result.lines << text("Click a sample to see the arithmetic that put it there.");
    }
    return result;
}

Explanation explainEmptyShard(const ShardScene& scene) {
    const ShardSpec& spec = scene.plan.spec();
    Explanation result;
    if (spec.datasetSize == 0) {
        return {text("The data set has no samples"),
                {text("Choose another data set, or a smaller validation fraction.")}};
    }
    result.title = text("No rank gets any sample");
    result.lines << text(
                        "drop_last of the sampler keeps floor(%1 / %2) = 0 samples per rank: there are fewer samples "
                        "than ranks.")
                        .arg(plain(spec.datasetSize), plain(spec.worldSize));
    result.lines << text("Turn drop_last of the sampler off, or use at most %1 ranks.").arg(plain(spec.datasetSize));
    return result;
}

QString cellTip(const ShardScene& scene, LoomCell cell) {
    const CellContent content = cellContent(scene.plan, cell.rank, cell.slot);
    QStringList lines;
    const QString label = className(scene, content.sample);
    lines << text("sample %1").arg(plain(content.sample)) +
                 (label.isEmpty() ? QString() : QStringLiteral(", ") + label);
    if (content.kind == CellKind::DroppedBySampler) {
        lines << text("dropped by the sampler, position %1").arg(plain(content.position));
    } else {
        lines << text("rank %1, slot %2, %3")
                     .arg(plain(cell.rank), plain(cell.slot),
                          content.step < 0 ? text("dropped by the loader")
                                           : text("step %1").arg(number(content.step + 1)));
        lines << text("position %1").arg(plain(content.position)) +
                     (content.kind == CellKind::Duplicate ? text(" (padding: a duplicate)") : QString());
    }
    if (const QString row = scene.data ? rowText(*scene.data, content.sample) : QString(); !row.isEmpty()) lines << row;
    return lines.join(QLatin1Char('\n'));
}

}  // namespace ringside
