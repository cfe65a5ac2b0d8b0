// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/scene/explanation.h"

#include <algorithm>
#include <vector>

#include "sampling/findings/plan_sentences.h"
#include "sampling/plan/shard_layout.h"
#include "sampling/plan/shard_numbers.h"
#include "shards/scene/assignment_sentences.h"
#include "shards/scene/cell_identities.h"
#include "shards/scene/cell_text.h"
#include "shards/scene/device_chunks.h"
#include "shards/scene/order_sentences.h"
#include "shards/scene/row_text.h"

namespace ringside {
namespace {

Explanation explainDropped(const ShardScene& scene, const CellContent& content) {
    const ShardPlan& plan = scene.plan;
    const ShardLayout layout = ShardLayout::of(plan.spec());
    Explanation result;
    result.title = gridText("Why does no rank get sample %1?").arg(plainNumber(content.sample));
    result.things = {{IdentityKind::Sample, content.sample}, {IdentityKind::Epoch, scene.epoch}};
    const QString assignedSlots = plainNumber(layout.totalSize());
    const QString product =
        layout.rule == ShardLayout::Rule::kByBatch
            ? gridText("%1 x %2 x %3 = %4")
                  .arg(plainNumber(layout.samplesPerRank / layout.batchSize), plainNumber(layout.worldSize),
                       plainNumber(layout.batchSize), assignedSlots)
            : gridText("%1 x %2 = %3")
                  .arg(plainNumber(layout.samplesPerRank), plainNumber(layout.worldSize), assignedSlots);
    result.lines
        << gridText("The sample is at position %1 of the order, and drop_last of the sampler keeps only the first %2.")
               .arg(plainNumber(content.position), product);
    result.lines << withoutDropSentence(plan, content.position);
    result.lines << (changesByEpoch(scene) ? gridText("Each epoch shuffles again and drops other samples.")
                                           : gridText("Every epoch has the same order, so the sample is never used."));
    return result;
}

QString tailSentence(const ShardPlan& plan) {
    if (isReplicated(plan.spec().kind) && plan.spec().worldSize > 1) {
        return gridText("Every epoch trains on each sample %1 times, as with a DataLoader without DistributedSampler.")
            .arg(plainNumber(plan.spec().worldSize));
    }
    const ShardNumbers numbers = shardNumbers(plan.spec());
    if (numbers.droppedByLoader > 0 && numbers.isUneven()) {
        return gridText("drop_last of the loader drops %1 samples in incomplete last batches; they are shown dashed.")
            .arg(groupedNumber(numbers.droppedByLoader));
    }
    if (numbers.droppedByLoader > 0) {
        return gridText("drop_last of the loader drops the last %1 samples of every rank; they are shown dashed.")
            .arg(groupedNumber(numbers.groups[0].droppedByLoader));
    }
    if (plan.padding() > 0 && !plan.spec().pitfalls.any()) return paddingSentence(plan);
    if (!plan.dropped().empty()) {
        return gridText("The sampler drops the last %1 positions; they are shown dashed after the end.")
            .arg(groupedNumber(static_cast<std::int64_t>(plan.dropped().size())));
    }
    return gridText("Click a sample to see why it is assigned to its rank and slot.");
}

// Explains to which device data_parallel sends the sample: "torch.chunk splits its batch of 32 into chunks of 8: the 8
// samples from slot 16 on are sent to device 2."
QString chunkSentence(const ShardScene& scene, GridCell cell) {
    const ShardPlan& plan = scene.plan;
    const std::int64_t batch = plan.spec().batchSize;
    const std::int64_t first = cell.slot / batch * batch;
    const std::int64_t samples = std::min(batch, plan.samplesOf(cell.rank) - first);
    const DeviceChunk chunk = chunkAt(plan, scene.devices, cell.rank, cell.slot);
    const std::int64_t size = (samples + scene.devices - 1) / scene.devices;
    return gridText(
               "torch.chunk splits its batch of %1 into chunks of ceil(%1 / %2) = %3: the %4 samples from slot %5 on "
               "are sent to device %6.")
        .arg(plainNumber(samples), plainNumber(scene.devices), plainNumber(size), plainNumber(chunk.count),
             plainNumber(chunk.first), plainNumber(chunk.device));
}

}  // namespace

Explanation explain(const ShardScene& scene, GridCell cell) {
    const ShardPlan& plan = scene.plan;
    const CellContent content = cellContent(plan, cell.rank, cell.slot);
    if (content.kind == CellKind::DroppedBySampler) {
        return explainDropped(scene, content);
    }
    Explanation result;
    result.things = identitiesOf(scene, cell);
    result.title = gridText("Why is sample %1 on rank %2?").arg(plainNumber(content.sample), plainNumber(cell.rank));
    result.warning = plan.spec().pitfalls.any();
    result.lines << positionSentence(plan, cell);
    if (plan.isPadded(cell.rank, cell.slot) && !isReplicated(plan.spec().kind)) {
        result.lines << paddingSentence(plan) << copySentence(plan, cell) + QLatin1Char(' ') + wouldDropSentence(plan);
    } else {
        result.lines << orderSentence(scene, cell.rank);
        if (const QString draw = drawSentence(scene, cell); !draw.isEmpty()) result.lines << draw;
        if (const QString mistake = mistakeSentence(plan, cell); !mistake.isEmpty()) result.lines << mistake;
        if (content.step >= 0) result.lines << stepSentence(plan, cell);
        if (content.step >= 0 && scene.devices > 1) result.lines << chunkSentence(scene, cell);
    }
    if (content.kind == CellKind::DroppedByLoader) {
        result.lines << loaderSentence(plan, cell.rank);
    }
    return result;
}

Explanation explainGrid(const ShardScene& scene) {
    const ShardPlan& plan = scene.plan;
    Explanation result;
    result.title = gridText("Which rank gets which sample?");
    result.things = {{IdentityKind::Epoch, scene.epoch}};
    result.lines << orderSentence(scene) << ruleSentence(plan);
    const std::string mistake = pitfallSentence(plan.spec());
    result.warning = !mistake.empty();
    if (scene.devices > 1)
        result.lines
            << gridText(
                   "One process reads every batch, and torch.chunk splits it over its %1 devices, shown by colour.")
                   .arg(plainNumber(scene.devices));
    result.lines << (mistake.empty() ? tailSentence(plan) : QString::fromStdString(mistake));
    return result;
}

Explanation explainUnused(const ShardScene& scene, std::int64_t sample) {
    const ShardSpec& spec = scene.plan.spec();
    Explanation result;
    result.title = gridText("Why does no rank get sample %1?").arg(plainNumber(sample));
    result.things = {{IdentityKind::Sample, sample}, {IdentityKind::Epoch, scene.epoch}};
    const std::string mistake = pitfallSentence(spec);
    result.warning = !mistake.empty();
    if (result.warning) {
        result.lines << gridText("No rank's list of samples contains this sample in this epoch.")
                     << QString::fromStdString(mistake);
    } else if (spec.kind == SamplerKind::kSubset) {
        result.lines << gridText("The sample is not in the subset of %1 samples that the sampler selects.")
                            .arg(groupedNumber(ShardLayout::of(spec).orderLength));
    } else {
        result.lines << gridText(
                            "The sampler repeats samples and leaves others out: none of the %1 draws of this "
                            "epoch is this sample.")
                            .arg(groupedNumber(ShardLayout::of(spec).orderLength));
    }
    return result;
}

Explanation explainEmptyShard(const ShardScene& scene) {
    const ShardSpec& spec = scene.plan.spec();
    Explanation result;
    if (spec.datasetSize == 0) {
        return {gridText("The data set has no samples"),
                {gridText("Choose another data set, or a smaller validation fraction.")}};
    }
    result.title = gridText("No rank gets any sample");
    result.lines << gridText(
                        "drop_last of the sampler keeps floor(%1 / %2) = 0 samples per rank: there are fewer samples "
                        "than ranks.")
                        .arg(plainNumber(spec.datasetSize), plainNumber(spec.worldSize));
    result.lines
        << gridText("Turn drop_last of the sampler off, or use at most %1 ranks.").arg(plainNumber(spec.datasetSize));
    return result;
}

QString cellTip(const ShardScene& scene, GridCell cell) {
    const CellContent content = cellContent(scene.plan, cell.rank, cell.slot);
    QStringList lines;
    const QString label = className(scene, content.sample);
    lines << gridText("sample %1").arg(plainNumber(content.sample)) +
                 (label.isEmpty() ? QString() : QStringLiteral(", ") + label);
    if (content.kind == CellKind::DroppedBySampler) {
        lines << gridText("dropped by the sampler, position %1").arg(plainNumber(content.position));
    } else {
        lines << gridText("rank %1, slot %2, %3")
                     .arg(plainNumber(cell.rank), plainNumber(cell.slot),
                          content.step < 0 ? gridText("dropped by the loader")
                                           : gridText("step %1").arg(groupedNumber(content.step + 1)));
        if (scene.devices > 1 && content.step >= 0)
            lines << gridText("device %1")
                         .arg(plainNumber(chunkAt(scene.plan, scene.devices, cell.rank, cell.slot).device));
        const bool repeats = content.kind == CellKind::Duplicate;
        lines << gridText("position %1").arg(plainNumber(orderPosition(scene.plan, cell))) +
                     (!repeats                               ? QString()
                      : isReplicated(scene.plan.spec().kind) ? gridText(" (same sample as on rank 0)")
                                                             : gridText(" (padding: a duplicate)"));
    }
    if (const QString row = scene.data ? rowText(*scene.data, content.sample) : QString(); !row.isEmpty()) lines << row;
    return lines.join(QLatin1Char('\n'));
}

}  // namespace ringside
