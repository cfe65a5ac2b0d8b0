// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/chart_drawing.h"

#include <QCoreApplication>
#include <QLocale>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "theme/theme.h"
#include "theme/type_length.h"

namespace ringside {
namespace {

constexpr TypeLength kLeft{58},
    kBottom{26};  // margins to the left of the plot and below it, for the labels of the axes
constexpr double kRight = 16, kTop = 8;
constexpr TypeLength kPixelsPerXTick{90};
constexpr TypeLength kPixelsPerYTick{46};
// minimum distance of two labels of the y axis; a low chart shows fewer labels
constexpr TypeLength kMinBetweenYLabels{13};
constexpr double kBoxPadding = 9;
constexpr double kBoxDistance = 10;  // distance between the crosshair and the box with its values
constexpr double kBetweenColumns = 14;
constexpr double kFlagPadding = 6;
constexpr TypeLength kBoxLine{17};
constexpr qsizetype kMaxBoxLines = 12;  // maximum number of lines in the box, below its heading

QString tr(const char* text) {
    return QCoreApplication::translate("LiveChart", text);
}

// Arrangement of the lines in the box beside the crosshair: one column if the view is high enough; if not, several
// columns of equal height. If the columns are wider than the view, or have more than kMaxBoxLines lines, the last line
// shows how many lines are omitted.
struct BoxColumns {
    QStringList lines;
    qsizetype rows = 1;  // number of lines in a column
    double columnWidth = 0;

    BoxColumns(QStringList all, const QFontMetrics& metrics, const QSizeF& view) : lines(std::move(all)) {
        for (const QString& line : lines)
            columnWidth = std::max(columnWidth, metrics.horizontalAdvance(line) + kBetweenColumns);
        const double high = std::floor((view.height() - kBoxPadding) / kBoxLine) - 1;  // without the heading
        const double wide = (view.width() - 2 * kBoxPadding) / std::max(columnWidth, 1.0);
        const auto most = static_cast<qsizetype>(std::max(high, 1.0));
        const qsizetype room = std::min(kMaxBoxLines, most * static_cast<qsizetype>(std::max(std::floor(wide), 1.0)));
        if (lines.size() > room) {
            const qsizetype left = lines.size() - room + 1;
            lines = lines.first(room - 1) << tr("and %1 more").arg(left);
        }
        const qsizetype columns = std::max<qsizetype>((lines.size() + most - 1) / most, 1);
        rows = std::max<qsizetype>((lines.size() + columns - 1) / columns, 1);
    }

    double width() const {
        const qsizetype columns = (lines.size() + rows - 1) / rows;
        return std::max(0.0, columnWidth * static_cast<double>(columns) - kBetweenColumns);
    }
};

}  // namespace

QRectF plotIn(const QRect& viewport) {
    return QRectF(viewport).adjusted(kLeft, kTop, -kRight, -kBottom);
}

int yTickCount(double height) {
    return std::max(2, static_cast<int>(height / kPixelsPerYTick));
}

void drawGrid(QPainter& painter, const Theme& theme, const PlotScale& scale, const GridOptions& options) {
    const QRectF& area = scale.plot;
    const AxisRange& y = scale.y;
    painter.setFont(theme.smallFont());
    const int yTicks = yTickCount(area.height());
    double labelBelow = std::numeric_limits<double>::infinity();
    for (const AxisTick& tick : options.isLogarithmic ? logAxisTicks(y.minimum, y.maximum, yTicks)
                                                      : axisTicks(y.minimum, y.maximum, yTicks, options.y)) {
        const double row = scale.rowOf(tick.value);
        painter.setPen(QPen(theme.colors().grid, 1));
        painter.drawLine(QPointF(area.left(), std::round(row) + 0.5), QPointF(area.right(), std::round(row) + 0.5));
        if (labelBelow - row < kMinBetweenYLabels) continue;
        painter.setPen(theme.colors().muted);
        painter.drawText(QRectF(0, row - 9, area.left() - 8, 18), Qt::AlignRight | Qt::AlignVCenter, tick.label);
        labelBelow = row;
    }
    if (!options.text.isEmpty()) painter.drawText(area, Qt::AlignCenter, options.text);
    painter.setPen(theme.colors().muted);
    painter.drawText(QRectF(0, area.bottom() + 6, area.left() - 8, 16), Qt::AlignRight | Qt::AlignVCenter,
                     options.xTitle);
    const int xTicks = std::max(2, static_cast<int>(area.width() / kPixelsPerXTick));
    for (const AxisTick& tick : axisTicks(scale.x.minimum, scale.x.maximum, xTicks, options.x))
        painter.drawText(QRectF(scale.columnOf(tick.value) - 40, area.bottom() + 6, 80, 16), Qt::AlignCenter,
                         tick.label);
}

void drawFlags(QPainter& painter, const Theme& theme, const PlotScale& scale, const std::vector<ChartFlag>& flags) {
    const QRectF& area = scale.plot;
    painter.setFont(theme.smallFont());
    for (const ChartFlag& flag : flags) {
        if (flag.x < scale.x.minimum || flag.x > scale.x.maximum) continue;
        const double column = std::round(scale.columnOf(flag.x)) + 0.5;
        painter.setPen(QPen(theme.colors().muted, 1));
        painter.drawLine(QPointF(column, area.top()), QPointF(column, area.bottom()));
        const double width = painter.fontMetrics().horizontalAdvance(flag.text) + 2 * kFlagPadding;
        const bool isLeft = column + width > area.right();
        const QRectF cloth(isLeft ? column - width : column, area.top(), width, kBoxLine);
        painter.fillRect(cloth, theme.colors().muted);
        painter.setPen(theme.colors().panel);
        painter.drawText(cloth, Qt::AlignCenter, flag.text);
    }
}

void drawZoomBox(QPainter& painter, const Theme& theme, const PlotScale& scale, const QPointF& from,
                 const QPointF& to) {
    QColor fill = theme.colors().accent;
    painter.setPen(QPen(fill, 1));
    fill.setAlphaF(0.12F);
    painter.setBrush(fill);
    painter.drawRect(QRectF(from, to).normalized().intersected(scale.plot));
}

void drawCrosshairLine(QPainter& painter, const Theme& theme, const PlotScale& scale, double x) {
    const double column = std::round(scale.columnOf(x)) + 0.5;
    painter.setPen(QPen(theme.colors().muted, 1, Qt::DashLine));
    painter.drawLine(QPointF(column, scale.plot.top()), QPointF(column, scale.plot.bottom()));
}

void drawCrosshairBox(QPainter& painter, const Theme& theme, const PlotScale& scale, const QSizeF& view, double x,
                      const QString& heading, const QStringList& lines) {
    painter.setFont(theme.smallFont());
    const QFontMetrics metrics = painter.fontMetrics();
    const BoxColumns columns(lines, metrics, view);
    const double width = std::max<double>(metrics.horizontalAdvance(heading), columns.width());
    const QSizeF size(width + 2 * kBoxPadding, kBoxLine * static_cast<double>(columns.rows + 1) + kBoxPadding);
    const double at = scale.columnOf(x);
    const bool isLeft = at + kBoxDistance + size.width() > scale.plot.right();
    const double left = isLeft ? at - kBoxDistance - size.width() : at + kBoxDistance;
    const double top = std::min(scale.plot.top() + 6, view.height() - size.height() - 1);
    const QRectF box(QPointF(std::max(0.0, std::min(left, view.width() - size.width() - 1)), std::max(0.0, top)), size);
    painter.setPen(theme.colors().border);
    painter.setBrush(theme.colors().panel);
    painter.drawRoundedRect(box, Theme::kCorner, Theme::kCorner);
    QRectF row(box.left() + kBoxPadding, box.top() + kBoxPadding / 2, width, kBoxLine);
    painter.setPen(theme.colors().muted);
    painter.drawText(row, Qt::AlignVCenter, heading);
    painter.setPen(theme.colors().text);
    for (qsizetype i = 0; i < columns.lines.size(); ++i) {
        const QPointF cell(static_cast<double>(i / columns.rows) * columns.columnWidth,
                           static_cast<double>(i % columns.rows + 1) * kBoxLine);
        painter.drawText(row.translated(cell), Qt::AlignVCenter, columns.lines[i]);
    }
}

QString crosshairNumber(double value, NumberStyle style) {
    return style == NumberStyle::Percent ? QLocale::c().toString(value * 100, 'f', 1) + QStringLiteral(" %")
           : std::abs(value) >= 1000     ? QLocale().toString(std::round(value), 'f', 0)
                                         : QLocale::c().toString(value, 'g', 4);
}

QStringList crosshairLines(const ShownCurves& curves, double x, NumberStyle style) {
    QStringList lines;
    for (const Curve& curve : curves.curves()) {
        const CurvePoint* point = curves.isHidden(curve) ? nullptr : pointAt(curve, x);
        if (point == nullptr || !std::isfinite(point->y)) continue;
        QString line = curve.name + QLatin1Char(' ') + crosshairNumber(point->y, style);
        if (curve.kind == Curve::Kind::BandLine && point->minimum < point->maximum) {
            line +=
                tr(" (%1 to %2)").arg(crosshairNumber(point->minimum, style), crosshairNumber(point->maximum, style));
        }
        lines << line;
    }
    return lines;
}

}  // namespace ringside
