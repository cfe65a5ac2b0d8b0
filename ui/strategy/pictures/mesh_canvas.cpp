// SPDX-License-Identifier: GPL-3.0-or-later
#include "strategy/pictures/mesh_canvas.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "strategy/pictures/ink.h"
#include "strategy/pictures/schedule_motion.h"
#include "strategy/scene/strategy_sentences.h"
#include "theme/theme.h"
#include "theme/type_length.h"
#include "theme/work_colors.h"

namespace ringside {
namespace {

constexpr TypeLength kMeshLegend{20}, kFrameRoom{16}, kMinCell{26};
// height below a row of boxes, for curves that lead around boxes, and for the labels of these curves
constexpr TypeLength kCurveRoom{18};
constexpr TypeLength kMaxNodeWidth{84}, kMaxNodeHeight{34};
constexpr int kMaxInRow = 8;
constexpr double kArrow = 6, kApart = 5;

}  // namespace

MeshCanvas::MeshCanvas(Theme& theme, QWidget* parent) : StrategyCanvas(QStringLiteral("meshCanvas"), theme, parent) {
    setAccessibleName(tr("Mesh: groups of ranks, and bytes sent between ranks"));
}

QString MeshCanvas::whatText(StepLink::What what) {
    switch (what) {
        case StepLink::What::kGradients:
            return tr("gradients");
        case StepLink::What::kParameters:
            return tr("parameters");
        case StepLink::What::kActivations:
            return tr("activations");
        case StepLink::What::kActivationGradients:
            break;
    }
    return tr("gradients of activations");
}

QColor MeshCanvas::colorOf(StepLink::What what) const {
    switch (what) {
        case StepLink::What::kGradients:
            return movingColor();
        case StepLink::What::kParameters:
            return memoryColor(0);
        case StepLink::What::kActivations:
            return memoryColor(3);
        case StepLink::What::kActivationGradients:
            break;
    }
    return memoryColor(2);
}

// Returns the numbers of columns and rows of boxes. With a pipeline, the columns are the stages and the rows are the
// data-parallel ranks; without a pipeline, the columns are the shards.
QSize MeshCanvas::grid() const {
    const Mesh& mesh = scene().plan().mesh;
    if (mesh.pipeline > 1) return {static_cast<int>(mesh.pipeline), static_cast<int>(mesh.dataRanks())};
    if (mesh.replicate > 1 && mesh.shard > 1) return {static_cast<int>(mesh.shard), static_cast<int>(mesh.replicate)};
    const auto ranks = static_cast<int>(mesh.ranks());
    return {std::min(ranks, kMaxInRow), (ranks + kMaxInRow - 1) / kMaxInRow};
}

MeshCanvas::NodeCell MeshCanvas::cellOf(int rank) const {
    const RankLayout layout{scene().plan().mesh, rank};
    if (layout.mesh.pipeline > 1) return {layout.pipelineIndex(), layout.dataRank()};
    if (layout.mesh.replicate > 1 && layout.mesh.shard > 1) return {layout.shardIndex(), layout.replicateIndex()};
    return {rank % kMaxInRow, rank / kMaxInRow};
}

double MeshCanvas::heightBelowNodes() const {
    return kMeshLegend + (grid().width() > 2 ? double(kCurveRoom) : 0);
}

void MeshCanvas::sceneChanged() {
    const QSize size = scene().cost ? grid() : QSize(1, 1);
    const double below = scene().cost ? heightBelowNodes() : double(kMeshLegend);
    setMinimumHeight(static_cast<int>(below + kFrameRoom + size.height() * kMinCell));
}

QRectF MeshCanvas::nodeOf(int rank) const {
    const QSize size = grid();
    const NodeCell cell = cellOf(rank);
    const double wide = (width() - kFrameRoom) / static_cast<double>(size.width());
    const double high = (height() - heightBelowNodes() - kFrameRoom) / static_cast<double>(size.height());
    const double w = std::min<double>(kMaxNodeWidth, wide * 0.5), h = std::min<double>(kMaxNodeHeight, high * 0.55);
    const QPointF centre(kFrameRoom / 2 + (cell.column + 0.5) * wide, kFrameRoom + (cell.row + 0.5) * high);
    return {centre.x() - w / 2, centre.y() - h / 2, w, h};
}

std::vector<MeshCanvas::Route> MeshCanvas::routes() const {
    std::vector<Route> all;
    std::map<std::pair<int, int>, std::size_t> indices;  // index in `all` for each pair of sending and receiving rank
    std::vector<std::int64_t> largest;
    for (const StepLink& link : scene().links) {
        const auto [found, isNew] = indices.try_emplace({link.from, link.to}, all.size());
        if (isNew) {
            all.push_back({link.from, link.to, 0, {}, link.what, false, false});
            largest.push_back(0);
        }
        Route& route = all[found->second];
        if (link.bytes > largest[found->second]) {
            largest[found->second] = link.bytes;
            route.what = link.what;
        }
        route.bytes += link.bytes;
        if (isSendingNow(scene(), link.what, link.from)) {
            route.now = true;
            route.what = link.what;
            largest[found->second] = std::numeric_limits<std::int64_t>::max();
        }
        route.parts << tr("%1 %2").arg(whatText(link.what), bytesText(static_cast<double>(link.bytes)));
    }
    for (Route& one : all) one.both = indices.contains({one.to, one.from});
    return all;
}

// Draws a frame around the ranks that together hold one copy of the model.
void MeshCanvas::drawCopies(QPainter& painter) const {
    const Mesh& mesh = scene().plan().mesh;
    const ThemeColors& c = theme().colors();
    if (mesh.ranks() == mesh.replicate) return;
    painter.setFont(theme().smallFont());
    for (int replica = 0; replica < mesh.replicate; ++replica) {
        QRectF frame;
        for (int rank = 0; rank < mesh.ranks(); ++rank)
            if (RankLayout{mesh, rank}.replicateIndex() == replica) frame = frame.united(nodeOf(rank));
        frame.adjust(-10, -6, 10, 6);
        painter.setPen(QPen(c.border, 1));
        painter.setBrush(mixedInk(c.panel, c.accent, 0.05));
        painter.drawRoundedRect(frame, Theme::kCorner, Theme::kCorner);
        if (mesh.replicate == 1) continue;
        painter.setPen(c.muted);
        painter.drawText(QRectF(frame.left(), frame.top() - 13, frame.width(), 13), Qt::AlignLeft | Qt::AlignVCenter,
                         tr("copy %1").arg(replica));
    }
}

void MeshCanvas::drawRoute(QPainter& painter, const Route& route, double most) {
    const QRectF from = nodeOf(route.from), to = nodeOf(route.to);
    const NodeCell a = cellOf(route.from), b = cellOf(route.to);
    const QPointF whole = to.center() - from.center();
    const double length = std::hypot(whole.x(), whole.y());
    if (length < 1) return;
    const QPointF along = whole / length, across(-along.y(), along.x());
    const bool straight = std::abs(a.column - b.column) + std::abs(a.row - b.row) == 1;
    // Returns the distance from the centre of a box to its edge in the direction of the line between the two boxes,
    // plus 2 pixels.
    const auto edge = [&](const QRectF& box) {
        const double x = std::abs(along.x()) > 1e-6 ? box.width() / 2 / std::abs(along.x()) : 1e9;
        const double y = std::abs(along.y()) > 1e-6 ? box.height() / 2 / std::abs(along.y()) : 1e9;
        return std::min(x, y) + 2;
    };
    const QPointF shift = route.both && straight ? across * kApart : QPointF();
    QPointF begin = from.center() + along * edge(from) + shift, end = to.center() - along * edge(to) + shift;
    QPointF middle = (begin + end) / 2;
    QPainterPath path(begin);
    QPointF into = along;
    if (straight) {
        path.lineTo(end);
    } else {
        // Draws the line between two boxes that are not neighbours as a curve: below the row if both boxes are in the
        // same row, otherwise to the right of the boxes.
        const bool inRow = a.row == b.row;
        const QPointF out = inRow ? QPointF(0, 1) : QPointF(1, 0);
        begin = from.center() + (inRow ? QPointF(0, from.height() / 2 + 2) : QPointF(from.width() / 2 + 2, 0));
        end = to.center() + (inRow ? QPointF(0, to.height() / 2 + 2) : QPointF(to.width() / 2 + 2, 0));
        const QPointF bend = (begin + end) / 2 + out * 34;
        path = QPainterPath(begin);
        path.quadTo(bend, end);
        middle = (begin + end) / 4 + bend / 2;
        into = (end - bend) / std::max(1.0, std::hypot(end.x() - bend.x(), end.y() - bend.y()));
    }
    const bool rests = scene().motion && !route.now;
    const QColor color = rests ? mixedInk(theme().colors().panel, colorOf(route.what), 0.3) : colorOf(route.what);
    const double thick = 1.2 + 2.2 * static_cast<double>(route.bytes) / std::max(1.0, most) + (route.now ? 1.5 : 0);
    painter.setPen(QPen(color, thick));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(path);
    const QPointF side(-into.y(), into.x());
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawPolygon(QPolygonF(
        {end + into * 2, end - into * kArrow + side * kArrow * 0.7, end - into * kArrow - side * kArrow * 0.7}));
    painter.setFont(theme().smallFont());
    const QString label = bytesText(static_cast<double>(route.bytes));
    const double wide = painter.fontMetrics().horizontalAdvance(label) + 6;
    const bool upright = straight && a.column == b.column;
    const double room = straight ? std::hypot(end.x() - begin.x(), end.y() - begin.y()) : 1e9;
    QRectF place(middle.x() - wide / 2, middle.y() - 8, wide, 16);
    if (straight && !upright) place.translate(0, route.both ? (along.x() > 0 ? 11 : -11) : -10);
    if (upright) place.moveLeft(route.both && along.y() > 0 ? middle.x() - wide - 4 : middle.x() + 4);
    explain(path.boundingRect().adjusted(-4, -4, 4, 4).united(place),
            tr("Rank %1 to rank %2: %3 per step").arg(route.from).arg(route.to).arg(route.parts.join(tr(", "))));
    if (upright ? room < 14 : room < wide) return;
    painter.fillRect(place, theme().colors().panel);
    painter.setPen(theme().colors().text);
    painter.drawText(place, Qt::AlignCenter, label);
}

void MeshCanvas::drawNode(QPainter& painter, int rank) {
    const QRectF box = nodeOf(rank);
    const QColor color = theme().rankColor(rank);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawRoundedRect(box, 5, 5);
    painter.setPen(textColorOn(color));
    const QString place = meshPositionText(scene().plan(), rank);
    const auto at = static_cast<std::size_t>(rank);
    const double predicted = static_cast<double>(scene().cost->traffic[at].total());
    QString sentence = tr("Rank %1%2 sends %3 per step (predicted)")
                           .arg(rank)
                           .arg(place.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(place), bytesText(predicted));
    if (scene().ran && at < scene().ran->bytesPerStep.size() && scene().ran->bytesPerStep[at])
        sentence += tr("; measured %1").arg(bytesText(static_cast<double>(*scene().ran->bytesPerStep[at])));
    explain(box, sentence);
    identify(box, {{IdentityKind::Rank, rank}});
    const bool two = box.height() >= 28 && !place.isEmpty();
    painter.setFont(box.width() >= 48 && box.height() >= 16 ? theme().numberFont() : theme().smallFont());
    const QString name = box.width() >= 48 ? tr("Rank %1").arg(rank) : QString::number(rank);
    painter.drawText(two ? box.adjusted(0, 2, 0, -box.height() / 2) : box, Qt::AlignCenter, name);
    if (!two) return;
    painter.setFont(theme().smallFont());
    painter.drawText(box.adjusted(2, box.height() / 2 - 2, -2, 0), Qt::AlignCenter,
                     painter.fontMetrics().elidedText(place, Qt::ElideRight, static_cast<int>(box.width()) - 4));
}

void MeshCanvas::drawLegend(QPainter& painter, const std::vector<Route>& all) const {
    painter.setFont(theme().smallFont());
    double x = 0;
    const double y = height() - kMeshLegend + 3;
    const double high = kMeshLegend - 4;
    for (const StepLink::What what : {StepLink::What::kGradients, StepLink::What::kParameters,
                                      StepLink::What::kActivations, StepLink::What::kActivationGradients}) {
        if (std::ranges::find(all, what, &Route::what) == all.end()) continue;
        painter.fillRect(QRectF(x, y + (high - 9) / 2, 9, 9), colorOf(what));
        const QString name = whatText(what);
        const double wide = painter.fontMetrics().horizontalAdvance(name);
        painter.setPen(theme().colors().muted);
        painter.drawText(QRectF(x + 13, y, wide + 2, high), Qt::AlignLeft | Qt::AlignVCenter, name);
        x += wide + 25;
    }
    const QString words = tr("numbers: bytes per step that a rank sends along a ring or to a pipeline neighbour");
    painter.setPen(theme().colors().muted);
    painter.drawText(QRectF(x, y, width() - x, high), Qt::AlignRight | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(words, Qt::ElideRight, static_cast<int>(width() - x)));
}

void MeshCanvas::draw(QPainter& painter) {
    const std::vector<Route> all = routes();
    double most = 0;
    for (const Route& one : all) most = std::max(most, static_cast<double>(one.bytes));
    drawCopies(painter);
    for (const Route& one : all) drawRoute(painter, one, most);
    for (int rank = 0; rank < scene().plan().mesh.ranks(); ++rank) drawNode(painter, rank);
    drawLegend(painter, all);
}

}  // namespace ringside
