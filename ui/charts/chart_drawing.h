// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

#include "charts/axis_ticks.h"
#include "charts/plot_scale.h"
#include "charts/shown_curves.h"

QT_BEGIN_NAMESPACE
class QPainter;
class QPointF;
class QRect;
QT_END_NAMESPACE

namespace ringside {

class Theme;

// Mark with a text, such as "restarted", at the value x of the x axis.
struct ChartFlag {
    double x = 0;
    QString text;
    bool operator==(const ChartFlag&) const = default;
};

// The functions below draw the parts of a chart that Ringside draws itself and not through Qt Charts: grid, labels,
// flags, crosshair, and the rectangle for zooming. All positions are in pixels of the chart's viewport.

// Returns the rectangle of the plot in a viewport: the viewport without the margins for labels.
QRectF plotIn(const QRect& viewport);
// Returns the number of ticks of the y axis whose labels fit beside a plot of this height in pixels.
int yTickCount(double height);

struct GridOptions {
    bool isLogarithmic = false;
    NumberStyle x = NumberStyle::Plain;
    NumberStyle y = NumberStyle::Plain;
    QString xTitle;
    QString text;  // text in the middle of the plot, such as the reason why there are no curves; may be empty
};
void drawGrid(QPainter& painter, const Theme& theme, const PlotScale& scale, const GridOptions& options);

// Draws a vertical line for each flag whose x is in the range of the plot. The text of the flag is at the top of the
// line.
void drawFlags(QPainter& painter, const Theme& theme, const PlotScale& scale, const std::vector<ChartFlag>& flags);

// Draws the rectangle that the user drags for zooming, from the corner `from` to the opposite corner. Does not draw the
// part outside the plot.
void drawZoomBox(QPainter& painter, const Theme& theme, const PlotScale& scale, const QPointF& from, const QPointF& to);

void drawCrosshairLine(QPainter& painter, const Theme& theme, const PlotScale& scale, double x);
// Draws a box beside the crosshair with a heading and one line for each value. The box stays within the viewport, whose
// size is `view`, and has several columns if the viewport is too low for all lines.
void drawCrosshairBox(QPainter& painter, const Theme& theme, const PlotScale& scale, const QSizeF& view, double x,
                      const QString& heading, const QStringList& lines);

// Returns one line with the value at x for each visible curve, such as "train 0.5". Returns at most 12 lines; the last
// line then shows how many curves are omitted.
QStringList crosshairLines(const ShownCurves& curves, double x, NumberStyle style);
// Returns a value with four significant digits, as the box beside the crosshair shows it.
QString crosshairNumber(double value, NumberStyle style);

}  // namespace ringside
