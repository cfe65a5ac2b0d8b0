// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QChartView>
#include <QTimer>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "charts/axis_range.h"
#include "charts/axis_ticks.h"
#include "charts/chart_drawing.h"
#include "charts/chart_series.h"
#include "charts/curve.h"
#include "charts/plot_scale.h"
#include "charts/shown_curves.h"
#include "charts/shown_ranges.h"

QT_BEGIN_NAMESPACE
class QValueAxis;
QT_END_NAMESPACE

namespace ringside {

class Theme;

// Chart whose curves grow while a run is live. This class contains the axes, the user's choices, such as the visible
// range, and the handling of the mouse. ChartSeries draws the curves; the functions of chart_drawing.h draw all other
// parts.
class LiveChart : public QChartView {
    Q_OBJECT
  public:
    explicit LiveChart(Theme& theme, QWidget* parent = nullptr);

    // Sets the curves. wholeX: whole x range of all charts that share the x axis, which keeps these charts aligned;
    // empty: the x range of the curves.
    void setCurves(std::vector<Curve> curves, std::optional<AxisRange> wholeX = {});
    const std::vector<Curve>& curves() const { return m_curves.curves(); }
    void setHidden(const std::set<QString>& keys);
    void setSmoothing(double weight);
    void setStyles(NumberStyle x, NumberStyle y);
    void setLogY(bool on);
    // If on, the automatic y range excludes values at the beginning that are far above all later values.
    void setIgnoreOutliers(bool on);
    void setFlags(std::vector<ChartFlag> flags);
    const std::vector<ChartFlag>& flags() const { return m_flags; }
    AxisRange shownY() const;
    void setYFromZero(bool on) { m_y.startsAtZero = on; }  // true: the y axis always starts at zero
    void setXFromZero(bool on) {
        m_xFromZero = on;
    }  // true: the x axis starts at zero, the start of training, while the whole range is visible
    // Sets the visible x range; empty: shows the whole range, which grows with new points.
    void setXRange(std::optional<AxisRange> range);
    void setCrosshair(std::optional<double> x);
    // Sets the title of the x axis, such as "step", which is drawn to the left of the axis labels.
    void setXTitle(const QString& title) { m_grid.xTitle = title; }
    // Sets the text that the chart shows while it has no curves.
    void setEmptyText(const QString& text) { m_emptyText = text; }
    // Makes the curves clickable: a click on a curve emits pointClicked(). tip: tool tip with the effect of a click.
    void setPointsClickable(const QString& tip);
    // Sets the function that returns the heading of the crosshair's box for a value of x, such as "step 72, epoch 6".
    void setXText(std::function<QString(double)> text) { m_xText = std::move(text); }

    AxisRange shownX() const;
    // Returns the points of the visible curves in the visible x range as rows: series, x, value, minimum, maximum,
    // smoothed.
    QList<QStringList> tableRows() const { return m_curves.tableRows(shownX()); }
    // Returns the number of points of the series that has the most points. Used by tests of the limit of two points per
    // pixel column.
    int largestPointCount() const { return m_series.largestPointCount(); }
    int pixelColumns() const;

    // Returns the visible curve that is nearest to a point of the plot, at most 10 px above or below it; null if there
    // is none.
    const Curve* curveAt(const QPointF& point) const;
    // Returns the value of the x axis at a point of the plot; empty for a point outside the plot.
    std::optional<double> valueAt(const QPoint& point) const;

  Q_SIGNALS:
    void crosshairMoved(std::optional<double> x);
    void xRangeChosen(std::optional<ringside::AxisRange> range);
    void pointClicked(double x);  // emitted after a single click on a curve, when it cannot become a double click any
                                  // more; x: clicked value of x

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void drawBackground(QPainter* painter, const QRectF& rect) override;
    void drawForeground(QPainter* painter, const QRectF& rect) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

  private:
    void redraw();
    QRectF plot() const { return plotIn(viewport()->rect()); }
    PlotScale scale() const { return {plot(), shownX(), shownY()}; }
    AxisRange wholeShown() const { return xRangeOf(m_wholeX, m_xFromZero, plot().width()); }

    Theme& m_theme;
    QValueAxis* m_xAxis;
    QValueAxis* m_yAxis;
    ChartSeries m_series;
    ShownCurves m_curves;
    std::vector<ChartFlag> m_flags;
    YAxisOptions m_y;
    GridOptions m_grid;
    bool m_xFromZero = true;
    std::optional<AxisRange> m_chosenX;
    std::optional<AxisRange> m_chosenY;
    AxisRange m_wholeX;
    std::optional<double> m_crosshair;
    bool m_underPointer = false;
    std::optional<QPointF> m_dragFrom;
    QPointF m_dragTo;
    bool m_clickable = false;
    QTimer m_click;
    double m_clickedX = 0;
    std::function<QString(double)> m_xText;
    QString m_emptyText;
};

}  // namespace ringside
