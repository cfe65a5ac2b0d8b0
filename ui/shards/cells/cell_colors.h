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

// Colour of every cell under one of the codings. Colours are numbered by small keys, so that the majority under a pixel
// can be counted. Steps alternate between strong and pale colours, which shows the batches at any zoom.
class CellColors {
  public:
    static constexpr int kSourceBins = 48;  // number of colours for positions in the data set
    static constexpr int kBatchColors = 10;

    // origins: for ColorBy::Origin, computed for the same scene.
    CellColors(ColorBy by, const ShardScene& scene, const Theme& theme,
               std::shared_ptr<const CellOrigins> origins = {});

    int keyCount() const { return static_cast<int>(m_colors.size()); }
    // True if cells in one column (slot) may have different colours for another reason than their rank.
    bool needsSample() const { return m_by != ColorBy::Rank && m_by != ColorBy::Batch; }
    int key(int rank, std::int64_t slot, std::int64_t sample) const;
    // Returns the key of the same hue that is equal in all steps, for steps narrower than two pixels.
    int withoutSteps(int key) const { return m_by == ColorBy::Rank ? key & ~1 : key; }
    QRgb rgb(int key) const { return m_colors[static_cast<std::size_t>(key)]; }
    QColor color(int rank, std::int64_t slot, std::int64_t sample) const {
        return QColor(rgb(key(rank, slot, sample)));
    }
    bool operator==(const CellColors&) const = default;
    // Returns the strong colour of the hue in any step, for borders and large cells.
    QColor strongColor(int rank, std::int64_t slot, std::int64_t sample) const;

  private:
    ColorBy m_by;
    std::int64_t m_batchSize;
    std::int64_t m_datasetSize;
    Labels m_labels;
    std::shared_ptr<const CellOrigins> m_origins;
    int m_devices = 1;           // number of devices that share a rank's batches
    std::int64_t m_samples = 0;  // number of samples of rank 0
    // True if each hue has two colours, for even and odd steps.
    bool isPaired() const { return m_by != ColorBy::Source && m_by != ColorBy::Origin; }
    std::vector<QRgb> m_colors;
};

// Mixes two colours; fraction 0 returns a, 1 returns b.
QColor mixed(const QColor& a, const QColor& b, double fraction);

}  // namespace ringside
