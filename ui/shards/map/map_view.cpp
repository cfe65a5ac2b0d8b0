// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/map/map_view.h"

#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <span>

#include "sampling/plan/work_limits.h"
#include "sampling/query/plan_query.h"
#include "shards/scene/cell_identities.h"
#include "theme/theme.h"
#include "theme/type_length.h"
#include "words/field_text.h"

namespace ringside {
namespace {

constexpr TypePixels kMapTop{26};
constexpr TypePixels kLegendHeight{24};
constexpr int kMinGapSide = 6;          // side in pixels from which squares have a gap between them
constexpr TypePixels kMinTextSide{26};  // side in pixels from which squares also contain a number
constexpr int kMinPictureSide = 56;
constexpr int kLegendRanks = 8;
constexpr TypePixels kMinSquares{60};  // minimum height of the area with the squares, in pixels

MapColors colorsOf(const Theme& theme, int ranks) {
    MapColors colors;
    for (int rank = 0; rank < ranks; ++rank) colors.ranks.push_back(theme.rankColor(rank).rgb());
    colors.duplicate = theme.colors().text.rgb();
    colors.dropped = theme.colors().danger.rgb();
    return colors;
}

}  // namespace

MapView::MapView(Theme& theme, QWidget* parent) : ShardView(parent), m_theme(theme), m_fade(theme, *this) {
    setObjectName(QStringLiteral("mapView"));
    setAccessibleName(tr("Dataset map: the rank of every sample"));
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    connect(&m_thumbnails, &Thumbnails::arrived, this, qOverload<>(&QWidget::update));
    connect(&theme, &Theme::changed, this, &MapView::redraw);
}

QSize MapView::minimumSizeHint() const {
    return {0, kMapTop + kMinSquares + kLegendHeight};
}

QRect MapView::area() const {
    return rect().adjusted(0, kMapTop, 0, -kLegendHeight);
}

void MapView::setScene(const ShardScene& scene) {
    if (m_scene && m_scene->epoch != scene.epoch && isVisible()) {
        m_fading = m_image;
        m_fade.prepareFade();
    }
    m_scene.emplace(scene);
    m_thumbnails.setData(scene.data);
    redraw();
}

void MapView::setSelected(std::optional<qint64> sample, std::optional<GridCell>) {
    m_selected = sample;
    update();
}

void MapView::redraw() {
    if (!m_scene) return;
    const qint64 n = m_scene->plan.spec().datasetSize;
    const MapGeometry map = MapGeometry::fitted(n, area().size());
    const MapColors colors = colorsOf(m_theme, m_scene->ranks());
    m_thumbnails.setColors(m_theme.colors().panel, m_theme.colors().text);
    const Key key{m_scene->plan.spec(), map, colors};
    const auto show = [this, map](const QImage& image) {
        if (!(map == m_map)) m_fade.stop();  // fades only between pictures with the same positions of the squares
        m_map = map;
        m_image = image;
        m_fade.startFade();
        update();
    };
    const auto useImage = [this, key, show](const QImage& image) {
        m_recent.add(key, image);
        show(image);
    };
    m_work.cancel();
    if (const QImage* known = m_recent.find(key)) return show(*known);
    if (n <= kInstantSamples) return useImage(mapImage(m_scene->plan, map, colors, LatestWork::Stop(false)));
    m_work.requestLatest(
        this,
        [plan = m_scene->plan, map, colors](const LatestWork::Stop& stop) { return mapImage(plan, map, colors, stop); },
        useImage);
}

std::vector<Identity> MapView::identitiesAt(const QPoint& point) const {
    const auto cell = m_scene ? cellAt(point) : std::nullopt;
    return cell ? identitiesOf(*m_scene, *cell) : std::vector<Identity>();
}

void MapView::resizeEvent(QResizeEvent*) {
    redraw();
}

void MapView::paintEvent(QPaintEvent*) {
    if (!m_scene) return;
    QPainter painter(this);
    painter.setPen(m_theme.colors().muted);
    painter.setFont(m_theme.bodyFont());
    const QString title =
        m_map.perSquare == 1
            ? tr("Epoch %1: samples in the order of the data set, coloured by rank").arg(epochNumber(m_scene->epoch))
            : tr("Epoch %1: samples in the order of the data set, coloured by rank, %2 samples per pixel")
                  .arg(epochNumber(m_scene->epoch))
                  .arg(m_map.perSquare);
    painter.drawText(QRectF(0, 0, width(), kMapTop - 6), Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(title, Qt::ElideRight, width()));
    drawSquares(painter);
    drawLegend(painter);
}

void MapView::drawSquares(QPainter& painter) {
    const QRect place = area();
    const QRect whole(place.left(), place.top(), m_map.columns * m_map.side, m_map.rows * m_map.side);
    painter.drawImage(whole, m_image);
    if (m_fade.opacity() > 0) {
        painter.setOpacity(m_fade.opacity());
        painter.drawImage(whole, m_fading);
        painter.setOpacity(1);
    }
    if (m_map.side >= kMinGapSide) {
        for (int column = 1; column <= m_map.columns; ++column) {
            painter.fillRect(place.left() + column * m_map.side - 1, place.top(), 1, m_map.rows * m_map.side,
                             m_theme.colors().panel);
        }
        for (int row = 1; row <= m_map.rows; ++row) {
            painter.fillRect(place.left(), place.top() + row * m_map.side - 1, m_map.columns * m_map.side, 1,
                             m_theme.colors().panel);
        }
    }
    if (m_map.side >= kMinTextSide) {
        painter.setFont(m_theme.smallFont());
        for (qint64 sample = 0; sample < m_map.samples; ++sample) {
            QRectF square = rectOf(sample);
            const QColor back =
                m_image.pixelColor(static_cast<int>(sample % m_map.columns), static_cast<int>(sample / m_map.columns));
            if (m_map.side >= kMinPictureSide && m_thumbnails.available()) {
                const double side = square.width() - kLegendHeight;
                painter.drawImage(QRectF(square.center().x() - side / 2, square.top() + 4, side, side),
                                  m_thumbnails.image(sample));
                square.setTop(square.top() + side + 2);
            }
            painter.setPen(back.lightness() > 110 ? Qt::black : Qt::white);
            painter.drawText(square, Qt::AlignCenter, QString::number(sample));
        }
    }
    drawHits(painter);
    if (m_selected && *m_selected < m_map.samples) {
        QRectF mark = rectOf(*m_selected);
        if (mark.width() < 9) mark.adjust(-4, -4, 4, 4);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(m_theme.colors().panel, 4));
        painter.drawRect(mark);
        painter.setPen(QPen(m_theme.colors().text, 2));
        painter.drawRect(mark);
    }
}

// Draws the matches of a search: an outline around the square of each match, or a dot if several samples share a pixel.
void MapView::drawHits(QPainter& painter) const {
    if (!m_hits) return;
    constexpr std::size_t kMaxDrawn = 20'000;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(m_theme.colors().text, m_map.side >= kMinTextSide ? 2 : 1));
    for (const PlanHit& hit : std::span(*m_hits).first(std::min(kMaxDrawn, m_hits->size()))) {
        if (hit.sample >= m_map.samples) continue;
        const QRectF square = rectOf(hit.sample);
        if (m_map.side >= kMinGapSide) {
            painter.drawRect(square.adjusted(0.5, 0.5, -1.5, -1.5));
        } else {
            painter.fillRect(square, m_theme.colors().text);
        }
    }
}

void MapView::setHits(const Hits& hits) {
    if (hits == m_hits) return;
    m_hits = hits;
    update();
}

void MapView::drawLegend(QPainter& painter) const {
    struct Entry {
        QColor color;
        QString text;
    };
    std::vector<Entry> entries;
    for (int rank = 0; rank < std::min(m_scene->ranks(), kLegendRanks); ++rank) {
        entries.push_back({m_theme.rankColor(rank),
                           m_scene->ranks() > kLegendRanks ? QString::number(rank) : tr("rank %1").arg(rank)});
    }
    if (m_scene->ranks() > kLegendRanks) entries.back().text += tr(" ... %1").arg(m_scene->ranks() - 1);
    if (m_scene->plan.padding() > 0) entries.push_back({m_theme.colors().text, tr("used twice")});
    if (m_scene->plan.droppedByLoader() > 0 || !m_scene->plan.dropped().empty()) {
        entries.push_back({m_theme.colors().danger, tr("dropped")});
    }
    painter.setFont(m_theme.smallFont());
    double x = 0;
    const double y = std::min(height() - kLegendHeight / 2.0 + 2,
                              area().top() + m_map.rows * m_map.side + kLegendHeight / 2.0 + Theme::kSpace1);
    for (const Entry& entry : entries) {
        painter.fillRect(QRectF(x, y - 5, 10, 10), entry.color);
        painter.setPen(m_theme.colors().muted);
        painter.drawText(QPointF(x + 14, y + 4), entry.text);
        x += 14 + painter.fontMetrics().horizontalAdvance(entry.text) + Theme::kSpace3;
    }
}

std::optional<GridCell> MapView::cellAt(QPointF point) const {
    if (!m_scene) return {};
    const auto sample = m_map.sampleAt(point - area().topLeft());
    return sample ? cellOf(*sample) : std::nullopt;
}

std::optional<GridCell> MapView::cellOf(qint64 sample) const {
    const std::vector<SampleSlot> uses = m_scene->plan.usesOf(sample);
    const auto place = uses.empty() ? droppedPlace(m_scene->plan, sample) : std::optional(uses.front());
    return place ? std::optional(GridCell{place->rank, place->slot}) : std::nullopt;
}

void MapView::mouseMoveEvent(QMouseEvent* event) {
    Q_EMIT cellHovered(cellAt(event->position()));
}

void MapView::mousePressEvent(QMouseEvent* event) {
    if (const auto cell = cellAt(event->position()); cell && event->button() == Qt::LeftButton) {
        Q_EMIT cellChosen(*cell);
    }
}

// Moves the selected sample with the arrow keys: by one sample, or by one row of squares.
void MapView::keyPressEvent(QKeyEvent* event) {
    const qint64 row = m_map.columns * m_map.perSquare;
    const qint64 by = event->key() == Qt::Key_Right  ? 1
                      : event->key() == Qt::Key_Left ? -1
                      : event->key() == Qt::Key_Down ? row
                      : event->key() == Qt::Key_Up   ? -row
                                                     : 0;
    if (by == 0 || !m_scene || m_map.samples == 0) return ShardView::keyPressEvent(event);
    const qint64 next = m_selected ? *m_selected + by : 0;
    if (next < 0 || next >= m_map.samples) return;
    if (const auto cell = cellOf(next)) Q_EMIT cellChosen(*cell);
}

void MapView::leaveEvent(QEvent*) {
    Q_EMIT cellHovered({});
}

}  // namespace ringside
