// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>

#include "controls/cross_fade.h"
#include "controls/latest_work.h"
#include "controls/recent.h"
#include "identity/identity.h"
#include "shards/cells/thumbnails.h"
#include "shards/map/map_image.h"
#include "shards/map/samples_table.h"
#include "shards/scene/shard_view.h"

namespace ringside {

class Theme;

// Map of the data set in the order in which it is stored. Each sample has a fixed position and the colour of the rank
// that trains on it in this epoch.
class MapView : public ShardView, public IdentitySource {
    Q_OBJECT
  public:
    static constexpr std::size_t kMaxCached = 10;  // largest number of cached pictures; each takes about 2 MB

    explicit MapView(Theme& theme, QWidget* parent = nullptr);

    void setScene(const ShardScene& scene) override;
    void setSelected(std::optional<qint64> sample, std::optional<GridCell> cell) override;
    TableData table() const override { return m_scene ? samplesTable(*m_scene) : TableData{}; }
    bool isSettled() const override { return !m_work.isBusy(); }
    void setHits(const Hits& hits) override;
    void freeMemory() override { m_scene.reset(); }
    qint64 cellsDrawn() const override { return m_map.samples; }
    std::vector<Identity> identitiesAt(const QPoint& point) const override;
    QSize minimumSizeHint() const override;
    QRectF rectOf(qint64 sample) const { return m_map.rect(sample).translated(area().topLeft()); }

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    QRect area() const;
    void redraw();
    std::optional<GridCell> cellAt(QPointF point) const;
    std::optional<GridCell> cellOf(qint64 sample) const;
    void drawHits(QPainter& painter) const;
    void drawLegend(QPainter& painter) const;
    void drawSquares(QPainter& painter);

    Theme& m_theme;
    std::optional<ShardScene> m_scene;
    std::optional<qint64> m_selected;
    Hits m_hits;
    Thumbnails m_thumbnails;
    MapGeometry m_map;
    QImage m_image;
    QImage m_fading;  // picture of the previous epoch, fading out
    CrossFade m_fade;
    struct Key {
        ShardSpec spec;
        MapGeometry map;
        MapColors colors;
        bool operator==(const Key&) const = default;
    };
    Recent<Key, QImage> m_recent{kMaxCached};
    LatestWork m_work;
};

}  // namespace ringside
