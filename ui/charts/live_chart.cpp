// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/live_chart.h"

#include <QAreaSeries>
#include <QGraphicsLayout>
#include <QGuiApplication>
#include <QLineSeries>
#include <QLocale>
#include <QMouseEvent>
#include <QScatterSeries>
#include <QStyleHints>
#include <QValueAxis>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "theme/theme.h"

namespace ringside {
namespace {

constexpr double kRawOpacity = 0.30;
constexpr double kBandOpacity = 0.13;
constexpr double kStackOpacity = 1;
constexpr double kLineWidth = 2;
constexpr double kMarkerSize = 8;
constexpr double kDotSize = 5;
constexpr qsizetype kMostDots = 40;
constexpr double kMarkerRoom = 10;  // minimal pixels per marker
constexpr double kZoomPerNotch = 1.25;
constexpr double kLeastDrag = 8;
constexpr double kRoomAtEdge = 0.012;  // least share of the width that stays free at the right edge
constexpr double kMarkerEdge = 6;      // least distance of a marker's centre from the edges of the plot, in pixels

QColor faded(QColor color, double opacity) {
    color.setAlphaF(static_cast<float>(opacity));
    return color;
}

// Returns the points within x and a neighbour on each side, as [first, end).
std::pair<std::size_t, std::size_t> drawnRange(const Curve& curve, const AxisRange& x) {
    const auto from = std::ranges::lower_bound(curve.points, x.minimum, {}, &CurvePoint::x);
    const auto to = std::ranges::upper_bound(curve.points, x.maximum, {}, &CurvePoint::x);
    const auto first = static_cast<std::size_t>(from - curve.points.begin());
    const auto end = static_cast<std::size_t>(to - curve.points.begin());
    return {first > 0 ? first - 1 : 0, std::min(end + 1, curve.points.size())};
}

// Returns the range, extended so that no marker between `markers` is cut at the upper or lower edge of a plot with
// `pixels` rows.
AxisRange withMarkerRoom(const AxisRange& range, const AxisRange& markers, double pixels) {
    if (markers.empty() || pixels < 4 * kMarkerEdge) return range;
    const double room = range.width() * kMarkerEdge / (pixels - 2 * kMarkerEdge);
    return {std::min(range.minimum, markers.minimum - room), std::max(range.maximum, markers.maximum + room)};
}

}  // namespace

LiveChart::LiveChart(Theme& theme, QWidget* parent)
    : QChartView(parent), m_theme(theme), m_xAxis(new QValueAxis(this)), m_yAxis(new QValueAxis(this)) {
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::NoFocus);  // a view with the focus would use the arrow keys, which belong to the run
    setMouseTracking(true);
    setAcceptDrops(false);  // the window handles files dropped on a chart
    viewport()->setAcceptDrops(false);
    setRenderHint(QPainter::Antialiasing);
    // The selector keeps the chart's tool tip from inheriting the transparent background.
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

// Compares the distances to the values and to the smoothed lines.
const Curve* LiveChart::curveAt(const QPointF& at) const {
    constexpr double kNear = 10;
    if (!plot().contains(at) || m_yAxis->max() <= m_yAxis->min()) return nullptr;
    const double x = xAt(at.x());
    const double perValue = plot().height() / (m_yAxis->max() - m_yAxis->min());
    const auto distance = [&](double value) {
        return std::abs(plot().bottom() - (toY(value) - m_yAxis->min()) * perValue - at.y());
    };
    const Curve* nearest = nullptr;
    double least = kNear;
    for (std::size_t curve = 0; curve < m_curves.size(); ++curve) {
        if (m_hidden.contains(m_curves[curve].key)) continue;
        const auto [first, end] = drawnRange(m_curves[curve], {x, x});
        for (std::size_t i = first; i < end; ++i) {
            const double own = std::min(distance(m_curves[curve].points[i].y), distance(m_smoothed[curve][i]));
            if (!(own <= least)) continue;
            least = own;
            nearest = &m_curves[curve];
        }
    }
    return nearest;
}

void LiveChart::setCurves(std::vector<Curve> curves, std::optional<AxisRange> wholeX) {
    m_curves = std::move(curves);
    m_wholeX = wholeX ? *wholeX : wholeRange(m_curves);
    computeSmoothed();
    redraw();
}

void LiveChart::setHidden(const std::set<QString>& keys) {
    m_hidden = keys;
    redraw();
}

void LiveChart::setSmoothing(double weight) {
    if (weight == m_smoothing) {
        return;
    }
    m_smoothing = weight;
    computeSmoothed();
    redraw();
}

void LiveChart::setStyles(NumberStyle x, NumberStyle y) {
    if (x == m_xStyle && y == m_yStyle) {
        return;
    }
    m_xStyle = x;
    m_yStyle = y;
    redraw();
}

void LiveChart::setLogY(bool on) {
    if (on == m_logY) {
        return;
    }
    m_logY = on;
    m_chosenY.reset();
    redraw();
}

void LiveChart::setIgnoreOutliers(bool on) {
    if (on == m_ignoreOutliers) return;
    m_ignoreOutliers = on;
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

AxisRange LiveChart::wholeShown() const {
    AxisRange whole = m_wholeX.empty() ? AxisRange{0, 1} : m_wholeX;
    if (m_xFromZero) whole.minimum = std::min(whole.minimum, 0.0);
    const double share = std::max(kRoomAtEdge, kMarkerEdge / std::max(2 * kMarkerEdge, plot().width() - kMarkerEdge));
    const double room = whole.width() > 0 ? whole.width() * share : 1;
    return {whole.minimum, whole.maximum + room};
}

void LiveChart::computeSmoothed() {
    m_smoothed.resize(m_curves.size());
    for (std::size_t at = 0; at < m_curves.size(); ++at) {
        const Curve& curve = m_curves[at];
        m_smoothed[at].follow(curve.points, curve.kind == Curve::Kind::MarkedLine ? 0 : m_smoothing);
    }
}

double LiveChart::toY(double value) const {
    return m_logY ? (value > 0 ? std::log10(value) : std::numeric_limits<double>::quiet_NaN()) : value;
}

// Returns the values and smoothed values of the visible curves, one curve after the other, each from left to right.
std::vector<QPointF> LiveChart::pointsIn(const AxisRange& x) const {
    std::vector<QPointF> points;
    for (std::size_t at = 0; at < m_curves.size(); ++at) {
        if (m_hidden.contains(m_curves[at].key)) continue;
        const auto [first, end] = drawnRange(m_curves[at], x);
        for (std::size_t index = first; index < end; ++index) {
            const CurvePoint& point = m_curves[at].points[index];
            if (point.x < x.minimum || point.x > x.maximum) continue;
            if (m_curves[at].kind == Curve::Kind::Stack) {
                points.emplace_back(point.x, toY(point.maximum));
                continue;
            }
            points.emplace_back(point.x, toY(point.y));
            points.emplace_back(point.x, toY(m_smoothed[at][index]));
        }
    }
    return points;
}

AxisRange LiveChart::rangeOfY(const AxisRange& x) const {
    if (m_chosenY) {
        return *m_chosenY;
    }
    std::vector<QPointF> points = pointsIn(x);
    AxisRange values;
    if (m_ignoreOutliers && !m_logY) {
        std::ranges::stable_sort(points, {}, &QPointF::x);
        values = rangeWithoutOutliers(points);
    } else {
        for (const QPointF& point : points) values.include(point.y());
    }
    if (m_fromZero && !values.empty()) {
        values.include(0);
    }
    const auto withMarkers = [&](const AxisRange& range) {
        AxisRange markers;
        for (const Curve& curve : m_curves) {
            if (curve.kind != Curve::Kind::MarkedLine || m_hidden.contains(curve.key)) continue;
            for (const CurvePoint& point : curve.points) {
                const double y = toY(point.y);
                const bool isShown = point.x >= x.minimum && point.x <= x.maximum;
                if (isShown && y >= range.minimum && y <= range.maximum) markers.include(y);
            }
        }
        return withMarkerRoom(range, markers, plot().height());
    };
    if (m_logY) {
        const double margin = values.empty() ? 0 : std::max(0.05, values.width() * 0.05);
        return values.empty() ? AxisRange{-1, 0} : withMarkers({values.minimum - margin, values.maximum + margin});
    }
    AxisRange nice = niceRange(values, yTickCount());
    if (m_yStyle == NumberStyle::Percent) {
        nice.maximum = std::min(nice.maximum, 1.0);
    }
    return withMarkers(nice);
}

void LiveChart::matchSeries() {
    const bool same = std::ranges::equal(m_drawn, m_curves, {}, &Drawn::kind, &Curve::kind);
    if (same) {
        return;
    }
    chart()->removeAllSeries();
    m_drawn.clear();
    for (const Curve& curve : m_curves) {
        m_drawn.push_back(addSeries(curve));
    }
}

LiveChart::Drawn LiveChart::addSeries(const Curve& curve) {
    Drawn drawn{curve.kind};
    const auto attach = [this](QAbstractSeries* series) {
        chart()->addSeries(series);
        series->attachAxis(m_xAxis);
        series->attachAxis(m_yAxis);
    };
    const bool stack = curve.kind == Curve::Kind::Stack;
    if (curve.kind == Curve::Kind::BandLine || stack) {
        drawn.band = new QAreaSeries(new QLineSeries, new QLineSeries);
        drawn.band->upperSeries()->setParent(drawn.band);
        drawn.band->lowerSeries()->setParent(drawn.band);
        attach(drawn.band);
    }
    if (stack) return drawn;
    if (curve.kind != Curve::Kind::MarkedLine) {
        attach(drawn.raw = new QLineSeries);
    }
    attach(drawn.line = new QLineSeries);
    attach(drawn.markers = new QScatterSeries);
    return drawn;
}

void LiveChart::restyle(Drawn& drawn, const Curve& curve) {
    const bool shown = !m_hidden.contains(curve.key);
    if (drawn.raw != nullptr) {
        drawn.raw->setPen(QPen(faded(curve.color, kRawOpacity), 1));
        drawn.raw->setVisible(shown && m_smoothing > 0);
    }
    if (drawn.band != nullptr) {
        drawn.band->setPen(Qt::NoPen);
        drawn.band->setBrush(faded(curve.color, curve.kind == Curve::Kind::Stack ? kStackOpacity : kBandOpacity));
        drawn.band->setVisible(shown);
    }
    if (drawn.line == nullptr) return;
    drawn.line->setPen(QPen(curve.color, kLineWidth, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    drawn.line->setVisible(shown);
    const bool marked = curve.kind == Curve::Kind::MarkedLine;
    drawn.markers->setMarkerSize(marked ? kMarkerSize : kDotSize);
    drawn.markers->setColor(marked ? m_theme.colors().panel : curve.color);
    drawn.markers->setPen(marked ? QPen(curve.color, kLineWidth) : QPen(Qt::NoPen));
    drawn.markers->setVisible(shown);
}

void LiveChart::fill(Drawn& drawn, const Curve& curve) {
    const SmoothedCurve& smooth = m_smoothed[static_cast<std::size_t>(&curve - m_curves.data())];
    const AxisRange x = shownX();
    const PixelColumns columns{x.minimum, x.maximum, pixelColumns()};
    const auto [first, end] = drawnRange(curve, x);
    std::vector<QPointF> points(end - first);
    const auto gather = [&](auto valueAt) -> std::span<const QPointF> {
        for (std::size_t at = first; at < end; ++at) points[at - first] = {curve.points[at].x, toY(valueAt(at))};
        return points;
    };
    if (drawn.band != nullptr) {
        drawn.band->lowerSeries()->replace(
            decimatedEdge(gather([&](std::size_t at) { return curve.points[at].minimum; }), columns, Edge::Lower));
        drawn.band->upperSeries()->replace(
            decimatedEdge(gather([&](std::size_t at) { return curve.points[at].maximum; }), columns, Edge::Upper));
    }
    if (drawn.line == nullptr) return;
    if (drawn.raw != nullptr && m_smoothing > 0) {
        drawn.raw->replace(decimated(gather([&](std::size_t at) { return curve.points[at].y; }), columns));
    }
    const QList<QPointF> line = decimated(gather([&](std::size_t at) { return smooth[at]; }), columns);
    drawn.line->replace(line);
    // Dense markers would hide the line; on a line, markers are drawn only while it has few points.
    const bool few = curve.kind == Curve::Kind::MarkedLine || line.size() <= kMostDots;
    const bool apart = static_cast<double>(line.size()) * kMarkerRoom <= pixelColumns();
    drawn.markers->replace(few && apart ? line : QList<QPointF>());
}

void LiveChart::redraw() {
    if (m_smoothed.size() != m_curves.size()) {
        return;
    }
    matchSeries();
    const AxisRange x = shownX();
    const AxisRange y = rangeOfY(x);
    m_xAxis->setRange(x.minimum, x.maximum);
    m_yAxis->setRange(y.minimum, y.maximum);
    for (std::size_t at = 0; at < m_curves.size(); ++at) {
        restyle(m_drawn[at], m_curves[at]);
        if (!m_hidden.contains(m_curves[at].key)) fill(m_drawn[at], m_curves[at]);
    }
    resetCachedContent();
    scene()->update();
}

int LiveChart::pixelColumns() const {
    return std::max(1, static_cast<int>(plot().width()));
}

int LiveChart::largestPointCount() const {
    int largest = 0;
    for (const QAbstractSeries* series : chart()->series()) {
        if (const auto* points = qobject_cast<const QXYSeries*>(series)) {
            largest = std::max(largest, static_cast<int>(points->count()));
        } else if (const auto* area = qobject_cast<const QAreaSeries*>(series)) {
            largest = std::max({largest, static_cast<int>(area->upperSeries()->count()),
                                static_cast<int>(area->lowerSeries()->count())});
        }
    }
    return largest;
}

QList<QStringList> LiveChart::tableRows() const {
    const AxisRange x = shownX();
    const auto text = [](double value) { return std::isfinite(value) ? QString::number(value, 'g', 9) : QString(); };
    QList<QStringList> rows;
    for (std::size_t at = 0; at < m_curves.size(); ++at) {
        const Curve& curve = m_curves[at];
        for (std::size_t index = 0; index < curve.points.size() && !m_hidden.contains(curve.key); ++index) {
            const CurvePoint& point = curve.points[index];
            if (point.x < x.minimum || point.x > x.maximum) {
                continue;
            }
            const bool band = curve.kind == Curve::Kind::BandLine;
            rows << QStringList{
                curve.name,
                QString::number(point.x, 'g', 15),
                text(point.y),
                band ? text(point.minimum) : QString(),
                band ? text(point.maximum) : QString(),
                curve.kind == Curve::Kind::MarkedLine || m_smoothing <= 0 ? QString() : text(m_smoothed[at][index])};
        }
    }
    return rows;
}

void LiveChart::wheelEvent(QWheelEvent* event) {
    const AxisRange whole = wholeShown();
    const double factor = std::pow(kZoomPerNotch, event->angleDelta().y() / 120.0);
    const AxisRange next = zoomed(shownX(), whole, xAt(event->position().x()), factor);
    event->accept();
    if (next.width() >= whole.width() * (1 - 1e-9)) {
        Q_EMIT xRangeChosen(std::nullopt);
    } else {
        Q_EMIT xRangeChosen(next);
    }
}

std::optional<double> LiveChart::valueAt(const QPoint& point) const {
    return plot().contains(QPointF(point)) ? std::optional(xAt(point.x())) : std::nullopt;
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
    Q_EMIT crosshairMoved(m_underPointer ? std::optional(xAt(event->position().x())) : std::nullopt);
}

void LiveChart::mouseReleaseEvent(QMouseEvent* event) {
    if (!m_dragFrom) {
        return;
    }
    const QRectF box = QRectF(*m_dragFrom, m_dragTo).normalized().intersected(plot());
    m_dragFrom.reset();
    viewport()->update();
    if (box.width() < kLeastDrag) {
        if (m_clickable && curveAt(event->position())) {
            m_clickedX = xAt(event->position().x());
            m_click.start(QGuiApplication::styleHints()->mouseDoubleClickInterval());
        }
        return;
    }
    if (box.height() >= kLeastDrag * 3) {
        const double perPixel = (m_yAxis->max() - m_yAxis->min()) / plot().height();
        const double top = m_yAxis->max() - (box.top() - plot().top()) * perPixel;
        m_chosenY = AxisRange{top - box.height() * perPixel, top};
    }
    Q_EMIT xRangeChosen(AxisRange{xAt(box.left()), xAt(box.right())});
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
