// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/cells/cell_colors.h"

#include <algorithm>
#include <utility>

#include "shards/scene/device_chunks.h"
#include "theme/theme.h"

namespace ringside {
namespace {

// The colour of a rank is paler in every second step: this share of the background colour of panels is mixed into it.
constexpr double kPale = 0.62;
constexpr double kPaleOrigin = 0.35;

std::vector<QRgb> sourceRamp(const Theme& theme) {
    std::vector<QRgb> ramp;
    const QColor stops[] = {theme.rankColor(0), theme.rankColor(2), theme.rankColor(6)};
    for (int bin = 0; bin < CellColors::kSourceBins; ++bin) {
        const double place = 2.0 * bin / (CellColors::kSourceBins - 1);
        const int stop = std::min(1, static_cast<int>(place));
        ramp.push_back(mixed(stops[stop], stops[stop + 1], place - stop).rgb());
    }
    return ramp;
}

// Returns a colour for each key of CellOrigins: the text colour for kSame, the warning red for kAbsent, and the pale
// colour of a rank for kFirstRank + rank.
std::vector<QRgb> originColors(const Theme& theme, int ranks) {
    std::vector<QRgb> colors{theme.colors().text.rgb(), theme.colors().danger.rgb()};
    for (int rank = 0; rank < ranks; ++rank) {
        colors.push_back(mixed(theme.rankColor(rank), theme.colors().panel, kPaleOrigin).rgb());
    }
    return colors;
}

}  // namespace

QColor mixed(const QColor& a, const QColor& b, double fraction) {
    const auto part = [fraction](float x, float y) { return static_cast<float>(x + (y - x) * fraction); };
    return QColor::fromRgbF(part(a.redF(), b.redF()), part(a.greenF(), b.greenF()), part(a.blueF(), b.blueF()));
}

CellColors::CellColors(ColorBy by, const ShardScene& scene, const Theme& theme,
                       std::shared_ptr<const CellOrigins> origins)
    : m_by(by == ColorBy::Class && !scene.labels ? ColorBy::Rank : by),
      m_batchSize(scene.plan.spec().batchSize),
      m_datasetSize(std::max<std::int64_t>(1, scene.plan.spec().datasetSize)),
      m_labels(scene.labels),
      m_origins(std::move(origins)) {
    if (!isPaired()) {
        m_colors = m_by == ColorBy::Source ? sourceRamp(theme) : originColors(theme, scene.ranks());
        return;
    }
    m_devices = scene.devices;
    m_samples = scene.ranks() > 0 ? scene.plan.samplesOf(0) : 0;
    const std::int64_t hues = m_by == ColorBy::Rank    ? std::max<std::int64_t>(scene.ranks(), m_devices)
                              : m_by == ColorBy::Batch ? kBatchColors
                                                       : std::max<std::int64_t>(1, scene.data->classCount());
    for (int hue = 0; hue < hues; ++hue) {
        const QColor strong = m_by == ColorBy::Rank ? theme.rankColor(hue) : theme.classColor(hue);
        m_colors.push_back(strong.rgb());
        m_colors.push_back(m_by == ColorBy::Rank ? mixed(strong, theme.colors().panel, kPale).rgb() : strong.rgb());
    }
}

int CellColors::key(int rank, std::int64_t slot, std::int64_t sample) const {
    const std::int64_t step = slot / m_batchSize;
    const int pale = static_cast<int>(step & 1) ^ 1;
    switch (m_by) {
        case ColorBy::Rank:
            // Under data_parallel, which has one rank with several devices, the colour shows the device.
            return 2 * (m_devices > 1 ? chunkOf(m_batchSize, m_samples, m_devices, slot).device : rank) + pale;
        case ColorBy::Batch:
            return 2 * static_cast<int>(step % kBatchColors);
        case ColorBy::Class:
            return std::min(2 * (*m_labels)[static_cast<std::size_t>(sample)], keyCount() - 1);
        case ColorBy::Source:
            return static_cast<int>(sample * kSourceBins / m_datasetSize);
        case ColorBy::Origin:
            return std::min<int>(m_origins->at(rank, slot), keyCount() - 1);
    }
    return 0;
}

QColor CellColors::strongColor(int rank, std::int64_t slot, std::int64_t sample) const {
    const int own = key(rank, slot, sample);
    return QColor(rgb(isPaired() ? own & ~1 : own));
}

}  // namespace ringside
