// SPDX-License-Identifier: GPL-3.0-or-later
#include "strategy/pictures/memory_curve_canvas.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <array>
#include <cmath>

#include "strategy/pictures/ink.h"
#include "strategy/pictures/memory_canvas.h"
#include "strategy/pictures/memory_legend.h"
#include "strategy/scene/strategy_sentences.h"
#include "theme/theme.h"
#include "theme/type_length.h"
#include "theme/work_colors.h"

namespace ringside {
namespace {

constexpr TypeLength kCurveLegend{38}, kPlotTitle{16}, kMinPlot{44};
constexpr double kPlotGap = 12;

std::array<std::int64_t, kMemoryColors> classesOf(const PredictedMemory& one) {
    return {one.parameters, one.gradients, one.optimizer, one.activations, one.gathered, one.buffers};
}

}  // namespace

MemoryCurveCanvas::MemoryCurveCanvas(Theme& theme, QWidget* parent)
    : StrategyCanvas(QStringLiteral("memoryCurveCanvas"), theme, parent) {
    setAccessibleName(tr("Memory during a step by use"));
}

void MemoryCurveCanvas::sceneChanged() {
    const std::size_t plots = scene().cost ? curveRanks(scene()).size() : 1;
    const double rows = plots > 2 ? 2 : 1;
    setMinimumHeight(static_cast<int>(kCurveLegend + rows * (kPlotTitle + kMinPlot)));
}

QRectF MemoryCurveCanvas::plotOf(std::size_t place, std::size_t count) const {
    const std::size_t rows = count > 2 ? 2 : 1;
    const std::size_t columns = (count + rows - 1) / rows;
    const double wide = (width() + kPlotGap) / static_cast<double>(columns);
    const double high = (height() - kCurveLegend) / static_cast<double>(rows);
    return {static_cast<double>(place % columns) * wide, static_cast<double>(place / columns) * high + kPlotTitle,
            wide - kPlotGap, high - kPlotTitle - 4};
}

void MemoryCurveCanvas::drawPlot(QPainter& painter, int rank, const QRectF& plot, double most) {
    const ThemeColors& c = theme().colors();
    const auto at = static_cast<std::size_t>(rank);
    const MemoryCurve& curve = scene().curves[at];
    const double perByte = plot.height() / std::max(1.0, most), perTime = plot.width() / std::max(1e-9, curve.end);
    painter.fillRect(plot, mixedInk(c.panel, c.muted, 0.06));
    for (std::size_t i = 0; i < curve.moments.size(); ++i) {
        const double begin = curve.moments[i].at;
        const double end = i + 1 < curve.moments.size() ? curve.moments[i + 1].at : curve.end;
        double y = plot.bottom();
        const auto classes = classesOf(curve.moments[i].inUse);
        for (std::size_t what = 0; what < classes.size(); ++what) {
            const double high = static_cast<double>(classes[what]) * perByte;
            // Rounds outwards to whole pixels. At fractional positions, gaps between neighbouring areas would be
            // visible.
            const double left = std::floor(plot.left() + begin * perTime);
            const double right = std::ceil(plot.left() + end * perTime);
            painter.fillRect(QRectF(left, y - high, std::min(right, plot.right()) - left, high),
                             memoryColor(static_cast<int>(what)));
            y -= high;
        }
    }
    const bool measured = MemoryCanvas::isMeasured(scene());
    const auto predicted = static_cast<double>(scene().cost->memory[at].peak());
    const double taken = measured ? static_cast<double>(scene().ran->memory[at].peak) : predicted;
    const double line = plot.bottom() - taken * perByte;
    painter.setPen(QPen(c.text, 1.2, measured ? Qt::SolidLine : Qt::DashLine));
    painter.drawLine(QPointF(plot.left(), line), QPointF(plot.right(), line));
    painter.setPen(QPen(c.border, 1));
    painter.drawLine(plot.bottomLeft(), plot.bottomRight());
    const QString place = meshPositionText(scene().plan(), rank);
    painter.setFont(theme().smallFont());
    const QFontMetrics metrics = painter.fontMetrics();
    const auto fits = [&](const QString& left, const QString& right) {
        return metrics.horizontalAdvance(left) + metrics.horizontalAdvance(right) + 8 <= plot.width();
    };
    const QString shortName = tr("Rank %1").arg(rank);
    QString size = measured ? tr("%1 measured").arg(bytesText(taken)) : bytesText(taken);
    if (!fits(shortName, size)) size = bytesText(taken);
    QString name = place.isEmpty() ? shortName : tr("Rank %1, %2").arg(rank).arg(place);
    if (!fits(name, size)) name = fits(shortName, size) ? shortName : QString::number(rank);
    painter.setPen(c.muted);
    const QRectF title(plot.left(), plot.top() - kPlotTitle, plot.width(), kPlotTitle);
    painter.drawText(title, Qt::AlignRight | Qt::AlignVCenter, size);
    painter.setPen(c.text);
    painter.drawText(title, Qt::AlignLeft | Qt::AlignVCenter, name);
    identify(plot.united(title), {{IdentityKind::Rank, rank}});
    explain(plot, tr("Rank %1: peak of %2 after %3 of the step; allocated before the step: %4 predicted%5")
                      .arg(rank)
                      .arg(bytesText(static_cast<double>(curve.peakBytes())), percentText(curve.peakTime() / curve.end),
                           bytesText(predicted), measured ? tr(", %1 measured").arg(bytesText(taken)) : QString()));
}

void MemoryCurveCanvas::drawLegend(QPainter& painter) const {
    std::array<std::int64_t, kMemoryColors> most{};
    for (const MemoryCurve& curve : scene().curves)
        for (const MemoryMoment& moment : curve.moments) {
            const auto classes = classesOf(moment.inUse);
            for (std::size_t i = 0; i < most.size(); ++i) most[i] = std::max(most[i], classes[i]);
        }
    paintMemoryLegend(painter, QRectF(0, height() - memoryLegendHeight(), width(), memoryLegendHeight()), most,
                      tr("line: allocated before step 1"), theme());
}

void MemoryCurveCanvas::draw(QPainter& painter) {
    if (scene().curves.empty()) return;
    double most = static_cast<double>(scene().cost->largestPeak());
    if (MemoryCanvas::isMeasured(scene()))
        for (const RankMemory& one : scene().ran->memory) most = std::max(most, static_cast<double>(one.peak));
    const std::vector<int> ranks = curveRanks(scene());
    for (std::size_t i = 0; i < ranks.size(); ++i) drawPlot(painter, ranks[i], plotOf(i, ranks.size()), most * 1.04);
    drawLegend(painter);
}

}  // namespace ringside
