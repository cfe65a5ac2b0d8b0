// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/find/hits_table.h"

#include <memory>

#include "sampling/findings/plan_marks.h"

namespace ringside {
namespace {

QStringList rowOf(const ShardScene& scene, const PlanHit& hit) {
    const auto number = [](std::int64_t value) { return QString::number(value); };
    const QString epoch = number(scene.epoch), sample = number(hit.sample);
    if (hit.rank < 0)
        return {epoch,  {},
                {},     {},
                sample, leavesOutOnlyDropped(scene.plan.spec()) ? QStringLiteral("dropped") : QStringLiteral("unused")};
    const CellContent content = cellContent(scene.plan, hit.rank, hit.slot);
    return {epoch,
            content.step < 0 ? QString() : number(content.step + 1),  // steps are counted from 1, as on screen
            number(hit.rank),
            number(hit.slot),
            sample,
            scene.plan.isPadded(hit.rank, hit.slot) ? QStringLiteral("padded") : QStringLiteral("normal")};
}

}  // namespace

TableData hitsTable(const ShardScene& scene, std::vector<PlanHit> hits) {
    QStringList columns{"epoch", "step", "rank", "slot", "index", "flag"};
    const bool classes = scene.labels && scene.data;
    if (classes) columns << QStringLiteral("class");
    const auto count = static_cast<qint64>(hits.size());
    const auto held = std::make_shared<const std::vector<PlanHit>>(std::move(hits));
    return {QStringLiteral("found-epoch-%1").arg(scene.epoch), columns, count, [scene, held, classes](qint64 row) {
                const PlanHit& hit = (*held)[static_cast<std::size_t>(row)];
                QStringList fields = rowOf(scene, hit);
                if (classes) fields << QString::fromStdString(scene.data->className((*scene.labels)[hit.sample]));
                return fields;
            }};
}

}  // namespace ringside
