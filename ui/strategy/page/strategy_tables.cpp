// SPDX-License-Identifier: GPL-3.0-or-later
#include "strategy/page/strategy_tables.h"

#include <QLocale>
#include <algorithm>

#include "strategy/pictures/memory_canvas.h"
#include "strategy/pictures/mesh_canvas.h"
#include "strategy/pictures/schedule_lanes.h"
#include "strategy/scene/strategy_sentences.h"

namespace ringside {
namespace {

QString plain(double value) {
    return QLocale::c().toString(value, 'g', 9);
}

QString quoted(QString cell) {
    if (!cell.contains(QLatin1Char(',')) && !cell.contains(QLatin1Char('"'))) return cell;
    return QLatin1Char('"') + cell.replace(QLatin1Char('"'), QStringLiteral("\"\"")) + QLatin1Char('"');
}

QString csvLine(const QStringList& cells) {
    QStringList all;
    for (const QString& cell : cells) all << quoted(cell);
    return all.join(QLatin1Char(','));
}

std::int64_t heldOf(const BuiltLayer& layer, const RankLayout& place, bool sharded) {
    if (!sharded) return layer.parameterCount() * kFloatBytes;
    std::int64_t values = 0;
    for (const TensorSize& one : layer.parameters) {
        const std::int64_t chunk = chunkOf(one, place.mesh.shard);
        values += std::clamp<std::int64_t>(one.values - place.shard() * chunk, 0, chunk);
    }
    return values * kFloatBytes;
}

}  // namespace

QStringList StrategyTable::csvLines() const {
    QStringList lines{csvLine(columns)};
    for (const QStringList& row : rows) lines << csvLine(row);
    return lines;
}

StrategyTable holdsTable(const StrategyScene& scene) {
    StrategyTable table{
        QStringLiteral("strategy-holds"), {"rank", "place", "layer", "name", "parameter_bytes_held"}, {}};
    if (!scene.cost) return table;
    const StrategyPlan& plan = scene.plan();
    for (int rank = 0; rank < plan.mesh.ranks(); ++rank) {
        const RankLayout place{plan.mesh, rank};
        for (const std::size_t stage : plan.stagesOf(place.pipeline()))
            for (std::size_t at = plan.stageBegin[stage]; at < plan.stageBegin[stage + 1]; ++at) {
                const BuiltLayer& layer = plan.layers[at];
                if (layer.parameters.empty()) continue;
                table.rows << QStringList{QString::number(rank), placeText(plan, rank),
                                          QString::fromStdString(layer.name), QString::fromStdString(layer.place),
                                          QString::number(heldOf(layer, place, plan.mesh.shard > 1))};
            }
    }
    return table;
}

StrategyTable memoryTable(const StrategyScene& scene) {
    StrategyTable table{QStringLiteral("strategy-memory"), {"rank", "class", "predicted_bytes", "measured_bytes"}, {}};
    if (!scene.cost) return table;
    StrategyScene planned = scene;
    planned.ran.reset();
    const QStringList names = MemoryCanvas::partNames();
    for (int rank = 0; rank < scene.plan().mesh.ranks(); ++rank) {
        const std::vector<std::int64_t> predicted = MemoryCanvas::parts(planned, rank);
        const std::vector<std::int64_t> measured = MemoryCanvas::parts(scene, rank);
        for (std::size_t i = 0; i < predicted.size(); ++i)
            table.rows << QStringList{QString::number(rank), names[static_cast<int>(i)], QString::number(predicted[i]),
                                      MemoryCanvas::isMeasured(scene) ? QString::number(measured[i]) : QString()};
    }
    return table;
}

StrategyTable curvesTable(const StrategyScene& scene) {
    StrategyTable table{QStringLiteral("strategy-memory-over-step"),
                        QStringList{QStringLiteral("rank"), QStringLiteral("share_of_step")} +
                            MemoryCanvas::partNames() +
                            QStringList{QStringLiteral("in_use_bytes"), QStringLiteral("predicted_peak_bytes"),
                                        QStringLiteral("measured_peak_bytes")},
                        {}};
    for (const int rank : scene.cost ? curveRanks(scene) : std::vector<int>()) {
        const auto at = static_cast<std::size_t>(rank);
        for (const MemoryMoment& moment : scene.curves[at].moments) {
            QStringList row{QString::number(rank), plain(moment.at / scene.curves[at].end)};
            const PredictedMemory& now = moment.inUse;
            for (const std::int64_t bytes : {now.parameters, now.gradients, now.optimizer, now.activations,
                                             now.gathered, now.buffers, now.peak(), scene.cost->memory[at].peak()})
                row << QString::number(bytes);
            row << (MemoryCanvas::isMeasured(scene) ? QString::number(scene.ran->memory[at].peak) : QString());
            table.rows << row;
        }
    }
    return table;
}

StrategyTable meshTable(const StrategyScene& scene) {
    StrategyTable table{QStringLiteral("strategy-mesh"), {"from", "from_place", "to", "to_place", "what", "bytes"}, {}};
    if (!scene.cost) return table;
    for (const StepLink& one : scene.links)
        table.rows << QStringList{QString::number(one.from),      placeText(scene.plan(), one.from),
                                  QString::number(one.to),        placeText(scene.plan(), one.to),
                                  MeshCanvas::whatText(one.what), QString::number(one.bytes)};
    return table;
}

StrategyTable scheduleTable(const StrategyScene& scene) {
    StrategyTable table{QStringLiteral("strategy-schedule"), {"which", "lane", "block", "begin", "end"}, {}};
    for (const LaneGroup& group : scheduleLanes(scene))
        for (const Lane& lane : group.lanes)
            for (const LaneBlock& block : lane.blocks)
                table.rows << QStringList{group.title, lane.label, block.what, plain(block.begin), plain(block.end)};
    return table;
}

StrategyTable linksTable(const StrategyScene& scene) {
    StrategyTable table{QStringLiteral("strategy-links"),
                        {"rank", "gradients", "parameters", "activations", "rest", "predicted_bytes", "counted_bytes"},
                        {}};
    if (!scene.cost) return table;
    for (std::size_t rank = 0; rank < scene.cost->traffic.size(); ++rank) {
        const StepTraffic& one = scene.cost->traffic[rank];
        const bool counted = scene.ran && rank < scene.ran->bytesPerStep.size() && scene.ran->bytesPerStep[rank];
        table.rows << QStringList{QString::number(rank),
                                  QString::number(one.gradients),
                                  QString::number(one.parameters),
                                  QString::number(one.activations),
                                  QString::number(one.rest),
                                  QString::number(one.all()),
                                  counted ? QString::number(*scene.ran->bytesPerStep[rank]) : QString()};
    }
    return table;
}

}  // namespace ringside
