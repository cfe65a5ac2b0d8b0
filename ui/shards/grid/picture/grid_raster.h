// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QObject>
#include <QPainter>
#include <QThreadPool>
#include <atomic>

#include "controls/recent.h"
#include "shards/cells/cell_colors.h"
#include "shards/grid/picture/grid_geometry.h"

namespace ringside {

// Part of the grid that is drawn as an image: each rank is one row of pixels, and each column of pixels shows
// slotsPerPixel slots.
struct RasterRequest {
    double firstSlot = 0;
    double slotsPerPixel = 1;
    int width = 0;
    CellRange ranks;
    bool operator==(const RasterRequest&) const = default;
};

// Returns an image in which every pixel has the exact majority colour of the cells under it (of the first cell in case
// of a tie). Pixels after the last column are transparent.
QImage rasterized(const ShardScene& scene, const CellColors& colors, const RasterRequest& request,
                  const std::atomic<bool>* stop = nullptr);

// Keeps the image of the latest request. Small images are drawn immediately; large ones are drawn on a worker thread
// while the previous image is still shown. The latest images are cached, so that returning to an earlier epoch needs no
// drawing.
class GridRaster : public QObject {
    Q_OBJECT
  public:
    static constexpr qint64 kInstantCells = 40'000;
    static constexpr std::size_t kMaxCached = 16;

    explicit GridRaster(QObject* parent = nullptr);
    ~GridRaster() override;

    void setScene(const ShardScene& scene, const CellColors& colors);
    void requestLatest(const RasterRequest& request);
    void clearCache() { m_recent.clear(); }  // frees all pictures except the current one

    const QImage& image() const { return m_image; }
    const RasterRequest& imageRequest() const { return m_made; }
    bool isSettled() const { return m_upToDate && m_made == m_wanted; }

  Q_SIGNALS:
    void imageChanged();

  private:
    struct Key {
        ShardSpec spec;
        CellColors colors;
        RasterRequest request;
        bool operator==(const Key&) const = default;
    };
    void startNext();
    double cost(const RasterRequest& request) const;
    bool showCached(const RasterRequest& request);
    void setImage(const QImage& image, const RasterRequest& request);

    std::optional<ShardScene> m_scene;
    std::optional<CellColors> m_colors;
    RasterRequest m_wanted, m_made, m_running;
    bool m_upToDate = false;
    bool m_busy = false;
    quint64 m_generation = 0;
    QImage m_image;
    Recent<Key, QImage> m_recent{kMaxCached};
    std::shared_ptr<std::atomic<bool>> m_stop;
    QThreadPool m_pool;
};

// Draws one row of an image, stretched to the rectangle `place`. For vector files (SVG), the row is copied to an image
// of its own, because they accept only complete images.
void drawImageRow(QPainter& painter, const QRectF& place, const QImage& image, int row);

}  // namespace ringside
