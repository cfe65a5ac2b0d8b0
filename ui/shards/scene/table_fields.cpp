// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/scene/table_fields.h"

namespace ringside {

QString fieldText(std::int64_t number) {
    return QString::number(number);
}

QString stepField(std::int64_t step) {
    return step < 0 ? QString() : fieldText(step + 1);
}

QString classField(const ShardScene& scene, std::int64_t sample) {
    return QString::fromStdString(scene.data->className(scene.data->label(sample)));
}

std::optional<SampleSlot> firstUse(const ShardPlan& plan, std::int64_t sample) {
    if (sample >= plan.spec().datasetSize) return {};
    const std::vector<SampleSlot> uses = plan.usesOf(sample);
    return uses.empty() ? std::nullopt : std::optional(uses.front());
}

QStringList useFields(const std::optional<SampleSlot>& use) {
    if (!use) return {{}, {}, {}};
    return {fieldText(use->rank), stepField(use->step), fieldText(use->slot)};
}

bool hasClasses(const ShardScene& scene) {
    return scene.data && scene.data->classCount() > 0;
}

}  // namespace ringside
