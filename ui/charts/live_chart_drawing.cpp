// SPDX-License-Identifier: GPL-3.0-or-later
// Parts that LiveChart draws itself: grid, labels, crosshair and the rectangle dragged for zooming.
#include <QLocale>
#include <QPainter>
#include <QValueAxis>
#include <algorithm>
#include <cmath>
#include <limits>

#include "charts/live_chart.h"
#include "theme/theme.h"
#include "theme/type_length.h"

namespace ringside {
namespace {

constexpr TypeLength kLeft{58}, kBottom{26};  // margins at the left of the plot and below it
constexpr double kRight = 16, kTop = 8;
constexpr TypeLength kPixelsPerXTick{90};
constexpr TypeLength kPixelsPerYTick{46};
constexpr TypeLength kLeastBetweenYLabels{13};  // least distance of two labels; in a low window some labels are left
                                                // out
constexpr double kBoxPadding = 9;
constexpr double kFlagPadding = 6;
constexpr TypeLength kBoxLine{17};

QString valueText(double value, NumberStyle style) {
    return style == NumberStyle::Percent ? QLocale::c().toString(value * 100, 'f', 1) + QStringLiteral(" %")
           : std::abs(value) >= 1000     ? QLocale().toString(std::round(value), 'f', 0)
                                         : QLocale::c().toString(value, 'g', 4);
}

}  // namespace

QRectF LiveChart::plot() const {
    return QRectF(viewport()->rect()).adjusted(kLeft, kTop, -kRight, -kBottom);
}

int LiveChart::yTickCount() const {
    return std::max(2, static_cast<int>(plot().height() / kPixelsPerYTick));
}

double LiveChart::xAt(double pixel) const {
    const AxisRange x = shownX();
    return x.minimum + (pixel - plot().left()) / plot().width() * x.width();
}

double LiveChart::pixelOf(double x) const {
    const AxisRange range = shownX();
    return plot().left() + (x - range.minimum) / range.width() * plot().width();
}

void LiveChart::resizeEvent(QResizeEvent* event) {
    QChartView::resizeEvent(event);
    chart()->setPlotArea(plot());
    redraw();
}

void LiveChart::drawBackground(QPainter* painter, const QRectF&) {
    const QRectF area = plot();
    const AxisRange x = shownX();
    const double low = m_yAxis->min();
    const double high = m_yAxis->max();
    painter->setFont(m_theme.smallFont());
    const int yTicks = yTickCount();
    double labelBelow = std::numeric_limits<double>::infinity();
    for (const AxisTick& tick : m_logY ? logAxisTicks(low, high, yTicks) : axisTicks(low, high, yTicks, m_yStyle)) {
        const double y = area.bottom() - (tick.value - low) / (high - low) * area.height();
        painter->setPen(QPen(m_theme.colors().grid, 1));
        painter->drawLine(QPointF(area.left(), std::round(y) + 0.5), QPointF(area.right(), std::round(y) + 0.5));
        if (labelBelow - y < kLeastBetweenYLabels) continue;
        painter->setPen(m_theme.colors().muted);
        painter->drawText(QRectF(0, y - 9, area.left() - 8, 18), Qt::AlignRight | Qt::AlignVCenter, tick.label);
        labelBelow = y;
    }
    if (m_curves.empty()) {
        painter->drawText(area, Qt::AlignCenter, m_emptyText);
    }
    painter->setPen(m_theme.colors().muted);
    painter->drawText(QRectF(0, area.bottom() + 6, area.left() - 8, 16), Qt::AlignRight | Qt::AlignVCenter, m_xTitle);
    const int xTicks = std::max(2, static_cast<int>(area.width() / kPixelsPerXTick));
    for (const AxisTick& tick : axisTicks(x.minimum, x.maximum, xTicks, m_xStyle)) {
        painter->setPen(m_theme.colors().muted);
        painter->drawText(QRectF(pixelOf(tick.value) - 40, area.bottom() + 6, 80, 16), Qt::AlignCenter, tick.label);
    }
}

// Draws a line across the chart for each flag, with its text at the top.
void LiveChart::drawFlags(QPainter& painter) const {
    const QRectF area = plot();
    const AxisRange x = shownX();
    painter.setFont(m_theme.smallFont());
    for (const ChartFlag& flag : m_flags) {
        if (flag.x < x.minimum || flag.x > x.maximum || m_curves.empty()) continue;
        const double pixel = std::round(pixelOf(flag.x)) + 0.5;
        painter.setPen(QPen(m_theme.colors().muted, 1));
        painter.drawLine(QPointF(pixel, area.top()), QPointF(pixel, area.bottom()));
        const double width = painter.fontMetrics().horizontalAdvance(flag.text) + 2 * kFlagPadding;
        const bool left = pixel + width > area.right();
        const QRectF cloth(left ? pixel - width : pixel, area.top(), width, kBoxLine);
        painter.fillRect(cloth, m_theme.colors().muted);
        painter.setPen(m_theme.colors().panel);
        painter.drawText(cloth, Qt::AlignCenter, flag.text);
    }
}

void LiveChart::drawForeground(QPainter* painter, const QRectF&) {
    const QRectF area = plot();
    drawFlags(*painter);
    if (m_dragFrom && std::abs(m_dragTo.x() - m_dragFrom->x()) > 3) {
        QColor fill = m_theme.colors().accent;
        painter->setPen(QPen(fill, 1));
        fill.setAlphaF(0.12F);
        painter->setBrush(fill);
        painter->drawRect(QRectF(*m_dragFrom, m_dragTo).normalized().intersected(area));
        return;
    }
    const AxisRange x = shownX();
    if (!m_crosshair || *m_crosshair < x.minimum || *m_crosshair > x.maximum || m_wholeX.empty()) {
        return;
    }
    const double pixel = std::round(pixelOf(*m_crosshair)) + 0.5;
    painter->setPen(QPen(m_theme.colors().muted, 1, Qt::DashLine));
    painter->drawLine(QPointF(pixel, area.top()), QPointF(pixel, area.bottom()));
    if (m_underPointer) {
        drawCrosshairBox(*painter);
    }
}

QStringList LiveChart::crosshairLines() const {
    QStringList lines;
    for (const Curve& curve : m_curves) {
        const CurvePoint* point = m_hidden.contains(curve.key) ? nullptr : pointAt(curve, *m_crosshair);
        if (point == nullptr || !std::isfinite(point->y)) {
            continue;
        }
        QString line = curve.name + QLatin1Char(' ') + valueText(point->y, m_yStyle);
        if (curve.kind == Curve::Kind::BandLine && point->minimum < point->maximum) {
            line += tr(" (%1 to %2)").arg(valueText(point->minimum, m_yStyle), valueText(point->maximum, m_yStyle));
        }
        lines << line;
    }
    constexpr qsizetype kMostLines = 12;
    if (lines.size() > kMostLines) {
        const auto more = lines.size() - kMostLines + 1;
        lines = lines.first(kMostLines - 1) << tr("and %1 more").arg(more);
    }
    return lines;
}

void LiveChart::drawCrosshairBox(QPainter& painter) const {
    const QStringList lines = crosshairLines();
    const QString head = m_xText ? m_xText(*m_crosshair) : valueText(*m_crosshair, m_xStyle);
    painter.setFont(m_theme.smallFont());
    double width = painter.fontMetrics().horizontalAdvance(head);
    for (const QString& line : lines) {
        width = std::max<double>(width, painter.fontMetrics().horizontalAdvance(line));
    }
    const QSizeF size(width + 2 * kBoxPadding, kBoxLine * static_cast<double>(lines.size() + 1) + kBoxPadding);
    const double at = pixelOf(*m_crosshair);
    const bool left = at + 10 + size.width() > plot().right();
    const QRectF box(QPointF(left ? at - 10 - size.width() : at + 10, plot().top() + 6), size);
    painter.setPen(m_theme.colors().border);
    painter.setBrush(m_theme.colors().panel);
    painter.drawRoundedRect(box, Theme::kCorner, Theme::kCorner);
    QRectF row(box.left() + kBoxPadding, box.top() + kBoxPadding / 2, width, kBoxLine);
    painter.setPen(m_theme.colors().muted);
    painter.drawText(row, Qt::AlignVCenter, head);
    painter.setPen(m_theme.colors().text);
    for (const QString& line : lines) {
        row.translate(0, kBoxLine);
        painter.drawText(row, Qt::AlignVCenter, line);
    }
}

}  // namespace ringside
