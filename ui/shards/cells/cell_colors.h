// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QRgb>
#include <cstdint>
#include <vector>

#include "shards/cells/cell_origins.h"
#include "shards/scene/shard_scene.h"

namespace ringside {

class Theme;

enum class ColorBy { Rank, Class, Batch, Source, Origin };

// Colour of each cell. ColorBy selects the property that the colour shows. Each colour has a small number (key), so
// that the most frequent colour of the cells under a pixel can be counted. With ColorBy::Rank, successive steps have a
// strong and a pale colour in turn, so that batches are visible at any zoom.
class CellColors {
  public:
    static constexpr int kSourceBins = 48;  // number of colours for positions in the data set
    static constexpr int kBatchColors = 10;

    // origins: rank of each sample in another plan; needed only for ColorBy::Origin, and computed for the same scene.
    CellColors(ColorBy by, const ShardScene& scene, const Theme& theme,
               std::shared_ptr<const CellOrigins> origins = {});

    int keyCount() const { return static_cast<int>(m_colors.size()); }
    // True if the colour depends on the sample. If false, it depends only on the rank and the slot.
    bool needsSample() const { return m_by != ColorBy::Rank && m_by != ColorBy::Batch; }
    int key(int rank, std::int64_t slot, std::int64_t sample) const;
    // With ColorBy::Rank, returns the key of the rank's strong colour for both its strong and its pale colour;
    // otherwise returns `key`. For images in which steps are narrower than two pixels.
    int strongKey(int key) const { return m_by == ColorBy::Rank ? key & ~1 : key; }
    QRgb rgb(int key) const { return m_colors[static_cast<std::size_t>(key)]; }
    QColor color(int rank, std::int64_t slot, std::int64_t sample) const {
        return QColor(rgb(key(rank, slot, sample)));
    }
    bool operator==(const CellColors&) const = default;
    // Returns the strong colour of the cell, even if the cells of its step are drawn pale. For borders and large cells.
    QColor strongColor(int rank, std::int64_t slot, std::int64_t sample) const;

  private:
    ColorBy m_by;
    std::int64_t m_batchSize;
    std::int64_t m_datasetSize;
    Labels m_labels;
    std::shared_ptr<const CellOrigins> m_origins;
    int m_devices = 1;           // number of devices that share a rank's batches
    std::int64_t m_samples = 0;  // number of samples of rank 0 in the epoch
    // True if each hue has two successive keys. With ColorBy::Rank, these are its strong and its pale colour. With
    // other values of ColorBy, both keys have the same colour.
    bool isPaired() const { return m_by != ColorBy::Source && m_by != ColorBy::Origin; }
    std::vector<QRgb> m_colors;
};

// Mixes two colours; fraction 0 returns a, 1 returns b.
QColor mixed(const QColor& a, const QColor& b, double fraction);

}  // namespace ringside
