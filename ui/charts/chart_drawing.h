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

// Mark on all charts of a run at the value x of the x axis, such as "restarted".
struct ChartFlag {
    double x = 0;
    QString text;
    bool operator==(const ChartFlag&) const = default;
};

// Parts of a chart that Ringside draws itself, without Qt Charts: grid, labels, flags, crosshair and the rectangle
// dragged for zooming. All positions are in pixels of the chart's viewport.

// Returns the rectangle of the plot in a viewport: the viewport without the margins for labels.
QRectF plotIn(const QRect& viewport);
// Returns the number of ticks of the y axis whose labels fit beside a plot of this height in pixels.
int yTickCount(double height);

struct GridOptions {
    bool isLogarithmic = false;
    NumberStyle x = NumberStyle::Plain;
    NumberStyle y = NumberStyle::Plain;
    QString xTitle;
    QString text;  // shown in the middle of the plot
};
void drawGrid(QPainter& painter, const Theme& theme, const PlotScale& scale, const GridOptions& options);

// Draws a vertical line for each flag whose x is in the range of the plot. The text of the flag is at the top of the
// line.
void drawFlags(QPainter& painter, const Theme& theme, const PlotScale& scale, const std::vector<ChartFlag>& flags);

// Draws the rectangle between two corners that the user drags for zooming. The part outside the plot is not drawn.
void drawZoomBox(QPainter& painter, const Theme& theme, const PlotScale& scale, const QPointF& from, const QPointF& to);

void drawCrosshairLine(QPainter& painter, const Theme& theme, const PlotScale& scale, double x);
// Draws a box beside the crosshair with a heading and one line for each value, within the view. Uses several columns if
// the view is too low for all lines. view: size of the chart's viewport.
void drawCrosshairBox(QPainter& painter, const Theme& theme, const PlotScale& scale, const QSizeF& view, double x,
                      const QString& heading, const QStringList& lines);

// Returns the value of each visible curve at x: "train 0.5". At most 12 lines; the last line counts the curves that are
// left out.
QStringList crosshairLines(const ShownCurves& curves, double x, NumberStyle style);
// Returns a value as the crosshair shows it, with four digits.
QString crosshairNumber(double value, NumberStyle style);

}  // namespace ringside
