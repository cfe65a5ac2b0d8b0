// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/scene/cell_text.h"

#include "shards/scene/sentence_text.h"

namespace ringside {

QString cellName(const CellContent& content) {
    const QString index = QString::number(content.sample);
    switch (content.kind) {
        case CellKind::Duplicate:
            return gridText("%1 again").arg(index);
        case CellKind::DroppedBySampler:
        case CellKind::DroppedByLoader:
        case CellKind::Normal:
            return index;
        case CellKind::None:
            break;
    }
    return {};
}

QString className(const ShardScene& scene, std::int64_t sample) {
    if (!scene.data || scene.data->classCount() <= 0 || sample < 0) {
        return {};
    }
    const std::int64_t label = scene.data->label(sample);
    const std::string name = scene.data->className(label);
    return name == std::to_string(label) ? gridText("class %1").arg(label) : QString::fromStdString(name);
}

}  // namespace ringside
