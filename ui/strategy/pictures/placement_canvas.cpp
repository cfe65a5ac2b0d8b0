// SPDX-License-Identifier: GPL-3.0-or-later
#include "strategy/pictures/placement_canvas.h"

#include <QFontMetrics>
#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>

#include "strategy/pictures/ink.h"
#include "strategy/pictures/schedule_motion.h"
#include "strategy/scene/strategy_sentences.h"
#include "theme/theme.h"
#include "theme/type_length.h"

namespace ringside {
namespace {

constexpr TypeLength kMinNames{88}, kMaxNames{148}, kHeads{34}, kLine{15};
constexpr TypeLength kMinRow{16}, kMaxRow{44}, kTwoLines{26};
constexpr double kStrip = 0.3, kMinStrip = 4, kMinSlice = 1.5;
constexpr TypeLength kRoomForLetters{30}, kRoomForTitle{34};
constexpr double kMaxColumn = 72;

// Returns for each third of a cell (parameters, gradients, optimizer state) whether it is sharded.
std::array<bool, 3> shardedThirds(const StrategyScene& scene) {
    if (scene.plan().mesh.shard == 1) return {false, false, false};
    const ShardingChoice& choice = scene.plan().sharding;
    return {choice.freesParameters || !choice.keepsGradients, !choice.keepsGradients, true};
}

// Returns the kind of a layer without its sizes, such as "Linear" or "Conv2d".
QString kindText(const BuiltLayer& layer) {
    return QString::fromStdString(layer.name).section(QLatin1Char('('), 0, 0);
}

}  // namespace

PlacementCanvas::PlacementCanvas(Theme& theme, QWidget* parent)
    : StrategyCanvas(QStringLiteral("holdsCanvas"), theme, parent) {
    setAccessibleName(tr("Model placement: ranks by layers"));
}

std::vector<PlacementCanvas::Column> PlacementCanvas::columns() const {
    std::vector<Column> all;
    const std::vector<BuiltLayer>& layers = scene().plan().layers;
    for (std::size_t i = 0; i < layers.size(); ++i)
        if (!layers[i].parameters.empty())
            all.push_back({i, kindText(layers[i]), QString::fromStdString(layers[i].parameterPrefix)});
    return all;
}

void PlacementCanvas::sceneChanged() {
    const auto ranks = scene().cost ? static_cast<double>(scene().plan().mesh.ranks()) : 1;
    setMinimumHeight(static_cast<int>(kHeads + ranks * kMinRow));
}

void PlacementCanvas::motionChanged() {
    m_gathered.clear();
    if (!scene().motion || !scene().cost || !scene().isSharded()) return;
    if (const std::vector<LaneGroup> groups = scheduleLanes(scene()); !groups.empty())
        m_gathered = gatheredNow(scene(), groups.front());
}

double PlacementCanvas::rowHeight() const {
    const auto ranks = static_cast<double>(scene().plan().mesh.ranks());
    return std::clamp<double>((height() - kHeads) / ranks, kMinRow, kMaxRow);
}

// Returns the width of the longest text for a position in the mesh, such as "replica 0, shard 0 of 2".
double PlacementCanvas::namesWidth() const {
    const QFontMetrics metrics(theme().smallFont());
    const StrategyPlan& plan = scene().plan();
    const int last = static_cast<int>(plan.mesh.ranks()) - 1;
    const int widest = std::max(metrics.horizontalAdvance(meshPositionText(plan, 0)),
                                metrics.horizontalAdvance(meshPositionText(plan, last)));
    return std::clamp<double>(widest + 12, kMinNames, kMaxNames);
}

QRectF PlacementCanvas::cell(int rank, std::size_t column) const {
    const double names = namesWidth();
    const double pitch = std::min(kMaxColumn, (width() - names) / std::max(1, m_columns));
    const double gap = pitch > 16 ? 4 : 1;
    const double row = rowHeight();
    return {names + static_cast<double>(column) * pitch, kHeads + rank * row, pitch - gap, row - (row > 20 ? 4 : 2)};
}

void PlacementCanvas::drawHeads(QPainter& painter, const std::vector<Column>& columns) const {
    painter.setFont(theme().smallFont());
    painter.setPen(theme().colors().muted);
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const QRectF box = cell(0, i);
        if (box.width() < kRoomForTitle) return;
        const auto fit = [&](const QString& text) {
            return painter.fontMetrics().elidedText(text, Qt::ElideRight, static_cast<int>(box.width()));
        };
        painter.drawText(QRectF(box.left(), 0, box.width(), kLine), Qt::AlignHCenter, fit(columns[i].title));
        painter.drawText(QRectF(box.left(), kLine - 1, box.width(), kLine), Qt::AlignHCenter, fit(columns[i].place));
    }
}

// Draws a cell: the state of one layer that a rank holds. gathered: true while the complete parameters of the layer are
// on this rank.
void PlacementCanvas::drawHeld(QPainter& painter, const QRectF& box, int rank, bool gathered) const {
    static constexpr std::array kLetters = {"P", "G", "O"};
    const QColor color = theme().rankColor(rank);
    const QColor empty = mixedInk(theme().colors().panel, color, 0.16);
    const std::array<bool, 3> sharded = shardedThirds(scene());
    const RankLayout place{scene().plan().mesh, rank};
    const double third = box.width() / 3;
    for (int i = 0; i < 3; ++i) {
        const QRectF part(box.left() + i * third, box.top(), third, box.height());
        const bool whole = gathered && i == 0;
        const bool partly = sharded[static_cast<std::size_t>(i)] && !whole;
        painter.fillRect(part, partly ? empty : color);
        // For sharded state, draws a strip at the bottom with one part per rank that holds a shard. Only the part of
        // this rank is filled.
        const double strip = partly ? std::max(kMinStrip, box.height() * kStrip) : 0;
        if (partly) {
            const double slice = (third - 2) / static_cast<double>(place.mesh.shard);
            painter.fillRect(QRectF(part.left() + 1 + slice * place.shardIndex(), part.bottom() - strip,
                                    std::max(kMinSlice, slice), strip),
                             color);
        }
        if (third < kRoomForLetters / 3 || box.height() - strip < 12) continue;
        painter.setFont(theme().smallFont());
        painter.setPen(partly ? theme().colors().text : textColorOn(color));
        painter.drawText(part.adjusted(0, 0, 0, -strip), Qt::AlignCenter,
                         QLatin1String(kLetters[static_cast<std::size_t>(i)]));
    }
}

void PlacementCanvas::drawRow(QPainter& painter, int rank, const std::vector<Column>& columns) {
    const StrategyPlan& plan = scene().plan();
    const QRectF first = cell(rank, 0);
    const QString place = meshPositionText(plan, rank);
    const bool two = first.height() >= kTwoLines && !place.isEmpty();
    painter.setFont(theme().numberFont());
    painter.setPen(theme().colors().text);
    const QRectF names(0, first.top(), namesWidth() - 8, first.height());
    const int up = Qt::AlignLeft | (two ? Qt::AlignTop : Qt::AlignVCenter);
    painter.drawText(names, up, tr("Rank %1").arg(rank));
    if (two) {
        painter.setFont(theme().smallFont());
        painter.setPen(theme().colors().muted);
        painter.drawText(names, Qt::AlignLeft | Qt::AlignBottom,
                         painter.fontMetrics().elidedText(place, Qt::ElideRight, static_cast<int>(names.width())));
    }
    identify(QRectF(0, first.top(), width(), rowHeight()), {{IdentityKind::Rank, rank}});
    const RankLayout layout{plan.mesh, rank};
    const std::vector<std::size_t> own = plan.stagesOf(layout.pipelineIndex());
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const QRectF box = cell(rank, i);
        const bool holds = std::ranges::any_of(own, [&](std::size_t stage) {
            return columns[i].layer >= plan.stageBegin[stage] && columns[i].layer < plan.stageBegin[stage + 1];
        });
        const BuiltLayer& layer = plan.layers[columns[i].layer];
        const QString what = tr("Rank %1%2: layer %3 with %4 of parameters")
                                 .arg(rank)
                                 .arg(place.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(place),
                                      QString::fromStdString(layer.name),
                                      bytesText(static_cast<double>(layer.parameterCount() * kFloatBytes)));
        if (holds) {
            const bool gathered = !m_gathered.empty() && m_gathered[std::min(i, m_gathered.size() - 1)];
            drawHeld(painter, box, rank, gathered);
            explain(box, what);
        } else {
            painter.setPen(theme().colors().border);
            painter.setBrush(Qt::NoBrush);
            painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
        }
    }
}

void PlacementCanvas::draw(QPainter& painter) {
    const std::vector<Column> all = columns();
    m_columns = static_cast<int>(all.size());
    if (all.empty()) return;
    drawHeads(painter, all);
    for (int rank = 0; rank < scene().plan().mesh.ranks(); ++rank) drawRow(painter, rank, all);
}

}  // namespace ringside
