// SPDX-License-Identifier: GPL-3.0-or-later
#include "strategy/page/strategy_tables.h"

#include <QLocale>
#include <algorithm>
#include <utility>

#include "strategy/pictures/memory_canvas.h"
#include "strategy/pictures/mesh_canvas.h"
#include "strategy/pictures/schedule_lanes.h"
#include "strategy/scene/strategy_sentences.h"

namespace ringside {
namespace {

QString plain(double value) {
    return QLocale::c().toString(value, 'g', 9);
}

std::int64_t heldOf(const BuiltLayer& layer, const RankLayout& place, bool sharded) {
    if (!sharded) return layer.parameterCount() * kFloatBytes;
    std::int64_t values = 0;
    for (const TensorSize& one : layer.parameters) {
        const std::int64_t chunk = shardValueCount(one, place.mesh.shard);
        values += std::clamp<std::int64_t>(one.values - place.shardIndex() * chunk, 0, chunk);
    }
    return values * kFloatBytes;
}

}  // namespace

TableData placementTable(const StrategyScene& scene) {
    const QString name = QStringLiteral("strategy-holds");
    const QStringList columns = QStringList{"rank", "place", "layer", "name", "parameter_bytes_held"};
    QList<QStringList> rows;
    if (!scene.cost) return tableOf(name, columns, std::move(rows));
    const StrategyPlan& plan = scene.plan();
    for (int rank = 0; rank < plan.mesh.ranks(); ++rank) {
        const RankLayout place{plan.mesh, rank};
        for (const std::size_t stage : plan.stagesOf(place.pipelineIndex()))
            for (std::size_t at = plan.stageBegin[stage]; at < plan.stageBegin[stage + 1]; ++at) {
                const BuiltLayer& layer = plan.layers[at];
                if (layer.parameters.empty()) continue;
                rows << QStringList{QString::number(rank), meshPositionText(plan, rank),
                                    QString::fromStdString(layer.name), QString::fromStdString(layer.parameterPrefix),
                                    QString::number(heldOf(layer, place, plan.mesh.shard > 1))};
            }
    }
    return tableOf(name, columns, std::move(rows));
}

TableData memoryTable(const StrategyScene& scene) {
    const QString name = QStringLiteral("strategy-memory");
    const QStringList columns = QStringList{"rank", "class", "predicted_bytes", "measured_bytes"};
    QList<QStringList> rows;
    if (!scene.cost) return tableOf(name, columns, std::move(rows));
    StrategyScene planned = scene;
    planned.ran.reset();
    const QStringList names = MemoryCanvas::partNames();
    for (int rank = 0; rank < scene.plan().mesh.ranks(); ++rank) {
        const std::vector<std::int64_t> predicted = MemoryCanvas::parts(planned, rank);
        const std::vector<std::int64_t> measured = MemoryCanvas::parts(scene, rank);
        for (std::size_t i = 0; i < predicted.size(); ++i)
            rows << QStringList{QString::number(rank), names[static_cast<int>(i)], QString::number(predicted[i]),
                                MemoryCanvas::isMeasured(scene) ? QString::number(measured[i]) : QString()};
    }
    return tableOf(name, columns, std::move(rows));
}

TableData curvesTable(const StrategyScene& scene) {
    const QString name = QStringLiteral("strategy-memory-over-step");
    const QStringList columns = QStringList{QStringLiteral("rank"), QStringLiteral("share_of_step")} +
                                MemoryCanvas::partNames() +
                                QStringList{QStringLiteral("in_use_bytes"), QStringLiteral("predicted_peak_bytes"),
                                            QStringLiteral("measured_peak_bytes")};
    QList<QStringList> rows;
    for (const int rank : scene.cost ? curveRanks(scene) : std::vector<int>()) {
        const auto at = static_cast<std::size_t>(rank);
        for (const MemoryMoment& moment : scene.curves[at].moments) {
            QStringList row{QString::number(rank), plain(moment.at / scene.curves[at].end)};
            const PredictedMemory& now = moment.inUse;
            for (const std::int64_t bytes : {now.parameters, now.gradients, now.optimizer, now.activations,
                                             now.gathered, now.buffers, now.peak(), scene.cost->memory[at].peak()})
                row << QString::number(bytes);
            row << (MemoryCanvas::isMeasured(scene) ? QString::number(scene.ran->memory[at].peak) : QString());
            rows << row;
        }
    }
    return tableOf(name, columns, std::move(rows));
}

TableData meshTable(const StrategyScene& scene) {
    const QString name = QStringLiteral("strategy-mesh");
    const QStringList columns = QStringList{"from", "from_place", "to", "to_place", "what", "bytes"};
    QList<QStringList> rows;
    if (!scene.cost) return tableOf(name, columns, std::move(rows));
    for (const StepLink& one : scene.links)
        rows << QStringList{QString::number(one.from),      meshPositionText(scene.plan(), one.from),
                            QString::number(one.to),        meshPositionText(scene.plan(), one.to),
                            MeshCanvas::whatText(one.what), QString::number(one.bytes)};
    return tableOf(name, columns, std::move(rows));
}

TableData scheduleTable(const StrategyScene& scene) {
    const QString name = QStringLiteral("strategy-schedule");
    const QStringList columns = QStringList{"which", "lane", "block", "begin", "end"};
    QList<QStringList> rows;
    for (const LaneGroup& group : scheduleLanes(scene))
        for (const Lane& lane : group.lanes)
            for (const LaneBlock& block : lane.blocks)
                rows << QStringList{group.title, lane.label, block.what, plain(block.begin), plain(block.end)};
    return tableOf(name, columns, std::move(rows));
}

TableData linksTable(const StrategyScene& scene) {
    const QString name = QStringLiteral("strategy-links");
    const QStringList columns =
        QStringList{"rank", "gradients", "parameters", "activations", "rest", "predicted_bytes", "counted_bytes"};
    QList<QStringList> rows;
    if (!scene.cost) return tableOf(name, columns, std::move(rows));
    for (std::size_t rank = 0; rank < scene.cost->traffic.size(); ++rank) {
        const StepTraffic& one = scene.cost->traffic[rank];
        const bool counted = scene.ran && rank < scene.ran->bytesPerStep.size() && scene.ran->bytesPerStep[rank];
        rows << QStringList{QString::number(rank),
                            QString::number(one.gradients),
                            QString::number(one.parameters),
                            QString::number(one.activations),
                            QString::number(one.rest),
                            QString::number(one.total()),
                            counted ? QString::number(*scene.ran->bytesPerStep[rank]) : QString()};
    }
    return tableOf(name, columns, std::move(rows));
}

}  // namespace ringside
