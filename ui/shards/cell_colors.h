// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QRgb>
#include <cstdint>
#include <vector>

#include "shards/shard_scene.h"

namespace ringside {

class Theme;

enum class ColorBy { Rank, Class, Batch, Source };

// The colour of every cell under one of the four codings, as a small set of keys, so that the majority under a pixel
// can be counted. Steps alternate between full and pale colour, which shows where batches begin at any zoom.
class CellColors {
  public:
    static constexpr int kSourceBins = 48;  // a sample's place in the data set, first to last
    static constexpr int kBatchColors = 10;

    CellColors(ColorBy by, const ShardScene& scene, const Theme& theme);

    int keyCount() const { return static_cast<int>(m_colors.size()); }
    // Whether the key needs the sample and not only its rank and slot.
    bool needsSample() const { return m_by == ColorBy::Class || m_by == ColorBy::Source; }
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
    std::vector<QRgb> m_colors;
};

// fraction 0 = a, 1 = b.
QColor mixed(const QColor& a, const QColor& b, double fraction);

}  // namespace ringside
