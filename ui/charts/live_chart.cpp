// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/live_chart.h"

#include <QGraphicsLayout>
#include <QGuiApplication>
#include <QMouseEvent>
#include <QStyleHints>
#include <QValueAxis>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <utility>

#include "controls/picture.h"
#include "theme/theme.h"

namespace ringside {
namespace {

constexpr double kMinDrag = 8;

}  // namespace

LiveChart::LiveChart(Theme& theme, QWidget* parent)
    : QChartView(parent),
      m_theme(theme),
      m_xAxis(new QValueAxis(this)),
      m_yAxis(new QValueAxis(this)),
      m_series(*chart(), *m_xAxis, *m_yAxis) {
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::NoFocus);  // does not take the keyboard focus, because the arrow keys must control the run and
                                  // not scroll the chart
    setMouseTracking(true);
    setAcceptDrops(false);  // the window, not the chart, handles dropped files
    viewport()->setAcceptDrops(false);
    setRenderHint(QPainter::Antialiasing);
    // Without the selector QGraphicsView, the style would also make the background of the chart's tooltip transparent.
    setStyleSheet(QStringLiteral("QGraphicsView { background: transparent; border: none }"));
    chart()->setBackgroundVisible(false);
    chart()->setMargins({});
    chart()->layout()->setContentsMargins(0, 0, 0, 0);
    chart()->legend()->hide();
    chart()->addAxis(m_xAxis, Qt::AlignBottom);
    chart()->addAxis(m_yAxis, Qt::AlignLeft);
    m_xAxis->setVisible(false);
    m_yAxis->setVisible(false);
    connect(&theme, &Theme::changed, this, &LiveChart::redraw);
    m_click.setSingleShot(true);
    connect(&m_click, &QTimer::timeout, this, [this] { Q_EMIT pointClicked(m_clickedX); });
}

void LiveChart::setPointsClickable(const QString& tip) {
    m_clickable = true;
    setToolTip(tip);
}

const Curve* LiveChart::curveAt(const QPointF& at) const {
    constexpr double kNear = 10;
    if (!plot().contains(at) || m_yAxis->max() <= m_yAxis->min()) return nullptr;
    return m_curves.nearest(scale(), at, kNear);
}

void LiveChart::setCurves(std::vector<Curve> curves, std::optional<AxisRange> wholeX) {
    m_curves.setCurves(std::move(curves));
    m_wholeX = wholeX ? *wholeX : wholeRange(m_curves.curves());
    redraw();
}

void LiveChart::setHidden(const std::set<QString>& keys) {
    m_curves.setHidden(keys);
    redraw();
}

void LiveChart::setSmoothing(double weight) {
    if (weight == m_curves.smoothing()) return;
    m_curves.setSmoothing(weight);
    redraw();
}

void LiveChart::setStyles(NumberStyle x, NumberStyle y) {
    if (x == m_grid.x && y == m_grid.y) return;
    m_grid.x = x;
    m_grid.y = m_y.style = y;
    redraw();
}

void LiveChart::setLogY(bool on) {
    if (on == m_curves.isLogarithmic()) return;
    m_curves.setLogarithmic(on);
    m_grid.isLogarithmic = on;
    m_chosenY.reset();
    redraw();
}

void LiveChart::setIgnoreOutliers(bool on) {
    if (on == m_y.ignoresOutliers) return;
    m_y.ignoresOutliers = on;
    redraw();
}

void LiveChart::setFlags(std::vector<ChartFlag> flags) {
    if (flags == m_flags) return;
    m_flags = std::move(flags);
    viewport()->update();
}

AxisRange LiveChart::shownY() const {
    return {m_yAxis->min(), m_yAxis->max()};
}

void LiveChart::setXRange(std::optional<AxisRange> range) {
    m_chosenX = range;
    if (!range) {
        m_chosenY.reset();
    }
    redraw();
}

void LiveChart::setCrosshair(std::optional<double> x) {
    if (x != m_crosshair) {
        m_crosshair = x;
        viewport()->update();
    }
}

AxisRange LiveChart::shownX() const {
    return m_chosenX ? *m_chosenX : wholeShown();
}

void LiveChart::redraw() {
    const AxisRange x = shownX();
    const double height = plot().height();
    const AxisRange y = m_chosenY ? *m_chosenY : yRangeOf(m_curves, x, m_y, height, yTickCount(height));
    m_xAxis->setRange(x.minimum, x.maximum);
    m_yAxis->setRange(y.minimum, y.maximum);
    m_series.draw(m_curves, x, pixelColumns(), m_theme.colors().panel);
    resetCachedContent();
    scene()->update();
}

int LiveChart::pixelColumns() const {
    return std::max(1, static_cast<int>(plot().width()));
}

void LiveChart::resizeEvent(QResizeEvent* event) {
    QChartView::resizeEvent(event);
    chart()->setPlotArea(plot());
    redraw();
}

void LiveChart::drawBackground(QPainter* painter, const QRectF&) {
    GridOptions grid = m_grid;
    if (curves().empty()) grid.text = m_emptyText;
    drawGrid(*painter, m_theme, scale(), grid);
}

void LiveChart::drawForeground(QPainter* painter, const QRectF&) {
    const PlotScale place = scale();
    if (!curves().empty()) drawFlags(*painter, m_theme, place, m_flags);
    if (m_dragFrom && std::abs(m_dragTo.x() - m_dragFrom->x()) > 3)
        return drawZoomBox(*painter, m_theme, place, *m_dragFrom, m_dragTo);
    if (!m_crosshair || *m_crosshair < place.x.minimum || *m_crosshair > place.x.maximum || m_wholeX.empty()) return;
    drawCrosshairLine(*painter, m_theme, place, *m_crosshair);
    if (!m_underPointer) return;
    const QString heading = m_xText ? m_xText(*m_crosshair) : crosshairNumber(*m_crosshair, m_grid.x);
    drawCrosshairBox(*painter, m_theme, place, viewport()->size(), *m_crosshair, heading,
                     crosshairLines(m_curves, *m_crosshair, m_grid.y));
}

void LiveChart::wheelEvent(QWheelEvent* event) {
    const AxisRange whole = wholeShown();
    const double factor = std::pow(kZoomPerNotch, event->angleDelta().y() / 120.0);
    const AxisRange next = zoomed(shownX(), whole, scale().xAt(event->position().x()), factor);
    event->accept();
    if (next.width() >= whole.width() * (1 - 1e-9)) {
        Q_EMIT xRangeChosen(std::nullopt);
    } else {
        Q_EMIT xRangeChosen(next);
    }
}

std::optional<double> LiveChart::valueAt(const QPoint& point) const {
    return plot().contains(QPointF(point)) ? std::optional(scale().xAt(point.x())) : std::nullopt;
}

void LiveChart::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton && plot().contains(event->position())) {
        m_dragFrom = m_dragTo = event->position();
    }
}

void LiveChart::mouseMoveEvent(QMouseEvent* event) {
    m_underPointer = plot().contains(event->position());
    if (m_dragFrom) {
        m_dragTo = event->position();
        viewport()->update();
    }
    if (m_clickable) viewport()->setCursor(curveAt(event->position()) ? Qt::PointingHandCursor : Qt::ArrowCursor);
    Q_EMIT crosshairMoved(m_underPointer ? std::optional(scale().xAt(event->position().x())) : std::nullopt);
}

void LiveChart::mouseReleaseEvent(QMouseEvent* event) {
    if (!m_dragFrom) {
        return;
    }
    const QRectF box = QRectF(*m_dragFrom, m_dragTo).normalized().intersected(plot());
    m_dragFrom.reset();
    viewport()->update();
    if (box.width() < kMinDrag) {
        if (m_clickable && curveAt(event->position())) {
            m_clickedX = scale().xAt(event->position().x());
            m_click.start(QGuiApplication::styleHints()->mouseDoubleClickInterval());
        }
        return;
    }
    if (box.height() >= kMinDrag * 3) {
        m_chosenY = AxisRange{scale().yAt(box.bottom()), scale().yAt(box.top())};
    }
    Q_EMIT xRangeChosen(AxisRange{scale().xAt(box.left()), scale().xAt(box.right())});
}

void LiveChart::mouseDoubleClickEvent(QMouseEvent*) {
    m_click.stop();
    m_dragFrom.reset();
    m_chosenY.reset();
    Q_EMIT xRangeChosen(std::nullopt);
}

void LiveChart::leaveEvent(QEvent*) {
    m_underPointer = false;
    Q_EMIT crosshairMoved(std::nullopt);
}

}  // namespace ringside
