// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QObject>
#include <QPainter>
#include <QThreadPool>
#include <atomic>

#include "controls/recent.h"
#include "shards/cells/cell_colors.h"
#include "shards/loom/picture/loom_geometry.h"

namespace ringside {

// A window of the loom to be drawn with one image row per rank and one image column per pixel.
struct RasterRequest {
    double firstSlot = 0;
    double slotsPerPixel = 1;
    int width = 0;
    CellRange ranks;
    bool operator==(const RasterRequest&) const = default;
};

// Every pixel in the exact majority colour of the cells it covers (the first cell's when none leads). Pixels past the
// last column stay transparent.
QImage rasterized(const ShardScene& scene, const CellColors& colors, const RasterRequest& request,
                  const std::atomic<bool>* stop = nullptr);

// Keeps the image of the latest request: small ones are made at once, large ones on a worker thread while the old image
// goes on being shown. The last few are remembered: an epoch that was seen comes back at once.
class LoomRaster : public QObject {
    Q_OBJECT
  public:
    static constexpr qint64 kInstantCells = 40'000;
    static constexpr std::size_t kRemembered = 16;

    explicit LoomRaster(QObject* parent = nullptr);
    ~LoomRaster() override;

    void setScene(const ShardScene& scene, const CellColors& colors);
    void want(const RasterRequest& request);
    void forget() { m_recent.clear(); }  // all pictures but the one shown

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
    bool recall(const RasterRequest& request);
    void setImage(const QImage& image, const RasterRequest& request);

    std::optional<ShardScene> m_scene;
    std::optional<CellColors> m_colors;
    RasterRequest m_wanted, m_made, m_running;
    bool m_upToDate = false;
    bool m_busy = false;
    quint64 m_generation = 0;
    QImage m_image;
    Recent<Key, QImage> m_recent{kRemembered};
    std::shared_ptr<std::atomic<bool>> m_stop;
    QThreadPool m_pool;
};

// One row of a raster's image. A file of lines (SVG) takes an image only as a whole.
void drawStrip(QPainter& painter, const QRectF& place, const QImage& image, int row);

}  // namespace ringside
