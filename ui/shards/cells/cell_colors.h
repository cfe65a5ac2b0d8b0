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

// The colour of every cell under one of the codings, as a small set of keys, so that the majority under a pixel
// can be counted. Steps alternate between full and pale colour, which shows where batches begin at any zoom.
class CellColors {
  public:
    static constexpr int kSourceBins = 48;  // a sample's place in the data set, first to last
    static constexpr int kBatchColors = 10;

    // origins: for ColorBy::Origin, of the same scene.
    CellColors(ColorBy by, const ShardScene& scene, const Theme& theme,
               std::shared_ptr<const CellOrigins> origins = {});

    int keyCount() const { return static_cast<int>(m_colors.size()); }
    // Whether cells of one slot may differ in more than their rank.
    bool needsSample() const { return m_by != ColorBy::Rank && m_by != ColorBy::Batch; }
    int key(int rank, std::int64_t slot, std::int64_t sample) const;
    // The key of the same hue that does not tell steps apart, for where a step is narrower than two pixels.
    int withoutSteps(int key) const { return m_by == ColorBy::Rank ? key & ~1 : key; }
    QRgb rgb(int key) const { return m_colors[static_cast<std::size_t>(key)]; }
    QColor color(int rank, std::int64_t slot, std::int64_t sample) const {
        return QColor(rgb(key(rank, slot, sample)));
    }
    bool operator==(const CellColors&) const = default;
    // Same hue at full strength whatever the step: for borders and large cells.
    QColor strongColor(int rank, std::int64_t slot, std::int64_t sample) const;

  private:
    ColorBy m_by;
    std::int64_t m_batchSize;
    std::int64_t m_datasetSize;
    Labels m_labels;
    std::shared_ptr<const CellOrigins> m_origins;
    int m_devices = 1;           // that share a rank's batches
    std::int64_t m_samples = 0;  // of that rank
    // Two colours for each hue, for even and odd steps.
    bool isPaired() const { return m_by != ColorBy::Source && m_by != ColorBy::Origin; }
    std::vector<QRgb> m_colors;
};

// fraction 0 = a, 1 = b.
QColor mixed(const QColor& a, const QColor& b, double fraction);

}  // namespace ringside
