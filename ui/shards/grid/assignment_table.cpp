// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/grid/assignment_table.h"

#include "shards/scene/device_chunks.h"
#include "shards/scene/table_fields.h"

namespace ringside {
namespace {

QStringList assignmentRow(const ShardScene& scene, qint64 row) {
    const ShardPlan& plan = scene.plan;
    const std::int64_t world = plan.spec().worldSize;
    QStringList fields{fieldText(plan.spec().epoch)};
    std::int64_t sample = 0;
    if (row < plan.totalSize()) {
        const auto rank = static_cast<int>(row % world);
        const std::int64_t slot = row / world;
        const CellContent content = cellContent(plan, rank, slot);
        sample = content.sample;
        fields << stepField(content.step) << fieldText(rank) << fieldText(slot) << fieldText(sample)
               << (plan.isPadded(rank, slot) ? QStringLiteral("padded") : QStringLiteral("normal"));
        if (scene.devices > 1)
            fields << (content.step < 0 ? QString() : fieldText(chunkAt(plan, scene.devices, rank, slot).device));
    } else {
        sample = plan.dropped()[static_cast<std::size_t>(row - plan.totalSize())];
        fields << QString() << QString() << QString() << fieldText(sample) << QStringLiteral("dropped");
        if (scene.devices > 1) fields << QString();
    }
    if (hasClasses(scene)) fields << classField(scene, sample);
    return fields;
}

}  // namespace

TableData assignmentTable(const ShardScene& scene) {
    QStringList columns{"epoch", "step", "rank", "slot", "index", "flag"};
    if (scene.devices > 1) columns << "device";
    if (hasClasses(scene)) columns << "class";
    const qint64 rows = scene.plan.totalSize() + static_cast<qint64>(scene.plan.dropped().size());
    return {QStringLiteral("grid-epoch-%1").arg(scene.epoch), columns, rows,
            [scene](qint64 row) { return assignmentRow(scene, row); }};
}

}  // namespace ringside
