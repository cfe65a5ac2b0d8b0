// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/compare/comparison_table.h"

#include "shards/scene/table_fields.h"

namespace ringside {

TableData comparisonTable(const ShardScene& scene, const ShardPlan& other, const QString& name) {
    return {name,
            {"index", "rank", "step", "slot", "other_rank", "other_step", "other_slot", "same"},
            scene.plan.spec().datasetSize,
            [plan = scene.plan, other](qint64 sample) {
                const auto here = firstUse(plan, sample);
                const auto there = firstUse(other, sample);
                const bool rank = here && there && here->rank == there->rank;
                const bool step = rank && here->step == there->step;
                QStringList fields{fieldText(sample)};
                fields << useFields(here) << useFields(there)
                       << (step   ? QStringLiteral("rank and step")
                           : rank ? QStringLiteral("rank")
                                  : QString());
                return fields;
            }};
}

}  // namespace ringside
