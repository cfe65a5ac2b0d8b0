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
#include "charts/curve.h"
#include "charts/decimator.h"
#include "charts/smoothed_curve.h"

QT_BEGIN_NAMESPACE
class QAreaSeries;
class QLineSeries;
class QScatterSeries;
class QValueAxis;
QT_END_NAMESPACE

namespace ringside {

class Theme;

// Event of a run that is marked on each chart.
struct ChartFlag {
    double x = 0;
    QString text;
    bool operator==(const ChartFlag&) const = default;
};

// Chart of a live run. Qt Charts draws the curves; each redraw replaces their points by at most two per pixel column.
// This class draws the grid, labels, crosshair and the rectangle dragged for zooming.
class LiveChart : public QChartView {
    Q_OBJECT
  public:
    explicit LiveChart(Theme& theme, QWidget* parent = nullptr);

    // `wholeX` is the common range of all charts that share the x axis, so that they stay aligned.
    void setCurves(std::vector<Curve> curves, std::optional<AxisRange> wholeX = {});
    const std::vector<Curve>& curves() const { return m_curves; }
    void setHidden(const std::set<QString>& keys);
    void setSmoothing(double weight);
    void setStyles(NumberStyle x, NumberStyle y);
    void setLogY(bool on);
    // Excludes values at the beginning that are far above all later values from the automatic y range.
    void setIgnoreOutliers(bool on);
    void setFlags(std::vector<ChartFlag> flags);
    const std::vector<ChartFlag>& flags() const { return m_flags; }
    AxisRange shownY() const;
    void setFromZero(bool on) { m_fromZero = on; }    // true: the y axis always starts at zero
    void setXFromZero(bool on) { m_xFromZero = on; }  // true: the whole x range starts at zero, the start of training
    // Sets the visible x range; empty: everything, including new points.
    void setXRange(std::optional<AxisRange> range);
    void setCrosshair(std::optional<double> x);
    // Sets the title left of the labels of the x axis: "step".
    void setXTitle(const QString& title) { m_xTitle = title; }
    // Sets the text that is shown while only other charts have curves.
    void setEmptyText(const QString& text) { m_emptyText = text; }
    // Makes points clickable (pointClicked()). The tool tip explains the effect.
    void setPointsClickable(const QString& tip);
    // Sets the function that formats the x of the crosshair: "step 72, epoch 6".
    void setXText(std::function<QString(double)> text) { m_xText = std::move(text); }

    AxisRange shownX() const;
    AxisRange wholeX() const { return m_wholeX; }
    // Returns the visible curves in the visible x range as CSV lines: series, x, value, minimum, maximum, smoothed.
    QList<QStringList> tableRows() const;
    // Returns the largest number of points of any series, for tests of the limit per pixel column.
    int largestPointCount() const;
    int pixelColumns() const;

    // Returns the visible curve at a point, up to 10 px away; null if there is none.
    const Curve* curveAt(const QPointF& point) const;
    // Value of the x axis at a point of the plot; none outside it.
    std::optional<double> valueAt(const QPoint& point) const;
    double xAt(double pixel) const;

  Q_SIGNALS:
    void crosshairMoved(std::optional<double> x);
    void xRangeChosen(std::optional<ringside::AxisRange> range);
    void pointClicked(double x);  // emitted after the double-click interval has passed

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
    struct Drawn {  // series of one curve; null if its kind has none
        Curve::Kind kind;
        QLineSeries* line = nullptr;
        QLineSeries* raw = nullptr;
        QAreaSeries* band = nullptr;
        QScatterSeries* markers = nullptr;
    };
    void redraw();
    void matchSeries();
    Drawn addSeries(const Curve& curve);
    void fill(Drawn& drawn, const Curve& curve);
    void restyle(Drawn& drawn, const Curve& curve);
    void computeSmoothed();
    AxisRange wholeShown() const;
    AxisRange rangeOfY(const AxisRange& x) const;
    std::vector<QPointF> pointsIn(const AxisRange& x) const;
    double toY(double value) const;
    void drawFlags(QPainter& painter) const;
    int yTickCount() const;
    QRectF plot() const;

    double pixelOf(double x) const;
    void drawCrosshairBox(QPainter& painter) const;
    QStringList crosshairLines() const;

    Theme& m_theme;
    QValueAxis* m_xAxis;
    QValueAxis* m_yAxis;
    std::vector<Curve> m_curves;
    std::vector<SmoothedCurve> m_smoothed;  // smoothed values of each curve
    std::vector<Drawn> m_drawn;
    std::set<QString> m_hidden;
    double m_smoothing = 0;
    bool m_logY = false;
    bool m_ignoreOutliers = false;
    std::vector<ChartFlag> m_flags;
    bool m_fromZero = false;
    bool m_xFromZero = true;
    NumberStyle m_xStyle = NumberStyle::Plain, m_yStyle = NumberStyle::Plain;
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
    QString m_xTitle;
};

}  // namespace ringside
