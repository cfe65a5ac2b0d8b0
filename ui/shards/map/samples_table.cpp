// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/map/samples_table.h"

#include "shards/scene/table_fields.h"

namespace ringside {

TableData samplesTable(const ShardScene& scene) {
    QStringList columns{"index", "rank", "step", "slot", "uses"};
    if (hasClasses(scene)) columns << "class";
    return {QStringLiteral("map-epoch-%1").arg(scene.epoch), columns, scene.plan.spec().datasetSize,
            [scene](qint64 sample) {
                QStringList fields{fieldText(sample)};
                fields << useFields(firstUse(scene.plan, sample))
                       << fieldText(static_cast<std::int64_t>(scene.plan.usesOf(sample).size()));
                if (hasClasses(scene)) fields << classField(scene, sample);
                return fields;
            }};
}

}  // namespace ringside
