// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/grid/picture/grid_raster.h"

#include <algorithm>
#include <cmath>

#include "shards/cells/chip_sheet.h"

namespace ringside {
namespace {

// Minimum width of a step, in pixels, at which successive steps have a strong and a pale colour in turn. Narrower steps
// have the strong colour only, because alternating colours would flicker.
constexpr double kMinStep = 2;

// Counts keys of colours and returns the most frequent key; of equally frequent keys the first.
class Majority {
  public:
    explicit Majority(int keys) : m_counts(static_cast<std::size_t>(keys)) {}

    void add(int key) {
        if (m_counts[static_cast<std::size_t>(key)]++ == 0) {
            m_seen.push_back(key);
        }
    }
    int result() {  // returns the most frequent key and resets the counts
        int best = m_seen.front();
        for (const int key : m_seen) {
            if (m_counts[static_cast<std::size_t>(key)] > m_counts[static_cast<std::size_t>(best)]) best = key;
        }
        for (const int key : m_seen) m_counts[static_cast<std::size_t>(key)] = 0;
        m_seen.clear();
        return best;
    }

  private:
    std::vector<std::int32_t> m_counts;
    std::vector<int> m_seen;
};

// Returns the slots under a pixel column, at least one.
CellRange slotsUnder(const RasterRequest& request, int x, std::int64_t slotCount) {
    const double left = request.firstSlot + x * request.slotsPerPixel;
    const auto first = static_cast<qint64>(std::floor(left + 1e-9));
    const auto last = static_cast<qint64>(std::floor(left + request.slotsPerPixel + 1e-9));
    return {std::clamp<qint64>(first, 0, slotCount), std::clamp<qint64>(std::max(last, first + 1), 0, slotCount)};
}

void paintColumn(QImage& image, int x, CellRange span, const ShardScene& scene, const CellColors& colors,
                 CellRange ranks, bool steps, Majority& majority) {
    // If the colour depends only on the rank and the slot, the slot with the majority colour is the same for all ranks,
    // so only the cells of rank 0 are counted.
    qint64 shown = span.first;
    if (!colors.needsSample()) {
        for (qint64 slot = span.first; slot < span.last; ++slot) majority.add(colors.key(0, slot, 0));
        const int best = majority.result();
        while (colors.key(0, shown, 0) != best) ++shown;
    }
    for (qint64 row = 0; row < ranks.size(); ++row) {
        const int rank = static_cast<int>(ranks.first + row);
        // without padding, a rank may have one sample less than other ranks
        const qint64 last = std::min<qint64>(span.last, scene.plan.samplesOf(rank));
        if (span.first >= last) continue;
        int key = 0;
        if (colors.needsSample()) {
            for (qint64 slot = span.first; slot < last; ++slot) {
                majority.add(colors.key(rank, slot, scene.plan.index(rank, slot)));
            }
            key = majority.result();
        } else {
            key = colors.key(rank, shown, 0);
            if (!steps) key = colors.strongKey(key);
        }
        reinterpret_cast<QRgb*>(image.scanLine(static_cast<int>(row)))[x] = colors.rgb(key) | 0xff000000U;
    }
}

}  // namespace

QImage rasterized(const ShardScene& scene, const CellColors& colors, const RasterRequest& request,
                  const std::atomic<bool>* stop) {
    QImage image(request.width, static_cast<int>(request.ranks.size()), QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    Majority majority(colors.keyCount());
    const bool steps = kMinStep * request.slotsPerPixel <= static_cast<double>(scene.plan.spec().batchSize);
    for (int x = 0; x < request.width && !(stop && *stop); ++x) {
        const CellRange span = slotsUnder(request, x, scene.plan.samplesPerRank());
        if (span.size() <= 0) {
            continue;
        }
        paintColumn(image, x, span, scene, colors, request.ranks, steps, majority);
    }
    return image;
}

GridRaster::GridRaster(QObject* parent) : QObject(parent) {
    m_pool.setMaxThreadCount(1);
}

GridRaster::~GridRaster() {
    if (m_stop) {
        *m_stop = true;
    }
    m_pool.waitForDone();
}

void GridRaster::setScene(const ShardScene& scene, const CellColors& colors) {
    m_scene.emplace(scene);
    m_colors.emplace(colors);
    m_upToDate = false;
    ++m_generation;
    if (m_stop) {
        *m_stop = true;
    }
}

void GridRaster::requestLatest(const RasterRequest& request) {
    m_wanted = request;
    if (!m_scene || (m_upToDate && m_made == request)) {
        return;
    }
    if (showCached(request)) return;
    if (cost(request) <= kInstantCells) {
        setImage(rasterized(*m_scene, *m_colors, request), request);
    } else if (!m_busy) {
        startNext();
    }
}

// Returns the number of cells that are read and pixels that are filled for an image, which estimates its drawing time.
double GridRaster::cost(const RasterRequest& request) const {
    const double columns = request.slotsPerPixel * request.width;
    const auto ranks = static_cast<double>(request.ranks.size());
    return m_colors->needsSample() ? columns * ranks : columns + request.width * ranks;
}

bool GridRaster::showCached(const RasterRequest& request) {
    const QImage* known = m_recent.find({m_scene->plan.spec(), *m_colors, request});
    if (known != nullptr) setImage(*known, request);
    return known != nullptr;
}

void GridRaster::setImage(const QImage& image, const RasterRequest& request) {
    m_image = image;
    m_made = request;
    m_upToDate = true;
}

void GridRaster::startNext() {
    m_busy = true;
    m_running = m_wanted;
    m_stop = std::make_shared<std::atomic<bool>>(false);
    m_pool.start(
        [this, stop = m_stop, scene = *m_scene, colors = *m_colors, request = m_wanted, generation = m_generation] {
            const QImage image = rasterized(scene, colors, request, stop.get());
            QMetaObject::invokeMethod(
                this,
                [this, stop, image, request, generation] {
                    m_busy = false;
                    if (!*stop && generation == m_generation) {
                        setImage(image, request);
                        m_recent.add({m_scene->plan.spec(), *m_colors, request}, image);
                    }
                    if (!m_upToDate || !(m_made == m_wanted)) {
                        requestLatest(m_wanted);
                    }
                    Q_EMIT imageChanged();
                },
                Qt::QueuedConnection);
        });
}

void drawImageRow(QPainter& painter, const QRectF& place, const QImage& image, int row) {
    const QRect strip(0, row, image.width(), 1);
    if (ChipSheet::canCopyTo(painter)) {
        painter.drawImage(place, image, strip);
    } else {
        painter.drawImage(place, image.copy(strip));
    }
}

}  // namespace ringside
