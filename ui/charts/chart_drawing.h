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

// Event of a run that is marked on each chart.
struct ChartFlag {
    double x = 0;
    QString text;
    bool operator==(const ChartFlag&) const = default;
};

// Parts of a chart that Ringside draws itself, without Qt Charts: grid, labels, flags, crosshair and the rectangle
// dragged for zooming. All positions are in pixels of the chart's viewport.

// Returns the place of the plot in a viewport: everything but the margins for the labels.
QRectF plotIn(const QRect& viewport);
// Returns the number of ticks that fit beside a plot of this height.
int yTickCount(double height);

struct GridOptions {
    bool isLogarithmic = false;
    NumberStyle x = NumberStyle::Plain;
    NumberStyle y = NumberStyle::Plain;
    QString xTitle;
    QString text;  // shown in the middle of the plot
};
void drawGrid(QPainter& painter, const Theme& theme, const PlotScale& scale, const GridOptions& options);

// Draws a line across the plot for each flag within the x range, with its text at the top.
void drawFlags(QPainter& painter, const Theme& theme, const PlotScale& scale, const std::vector<ChartFlag>& flags);

// Draws the part of the rectangle between two corners that lies in the plot.
void drawZoomBox(QPainter& painter, const Theme& theme, const PlotScale& scale, const QPointF& from, const QPointF& to);

void drawCrosshairLine(QPainter& painter, const Theme& theme, const PlotScale& scale, double x);
// Draws a box beside the crosshair with a heading and one line for each value.
void drawCrosshairBox(QPainter& painter, const Theme& theme, const PlotScale& scale, double x, const QString& heading,
                      const QStringList& lines);

// Returns the value of each visible curve at x: "train 0.5". At most 12 lines; the last line counts the curves that are
// left out.
QStringList crosshairLines(const ShownCurves& curves, double x, NumberStyle style);
// Returns a value as the crosshair shows it, with four digits.
QString crosshairNumber(double value, NumberStyle style);

}  // namespace ringside
