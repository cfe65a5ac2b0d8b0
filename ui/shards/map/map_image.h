// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <atomic>
#include <vector>

#include "sampling/findings/plan_diff.h"
#include "shards/map/map_geometry.h"

namespace ringside {

struct MapColors {
    std::vector<QRgb> ranks;
    QRgb duplicate = 0;
    QRgb dropped = 0;
    bool operator==(const MapColors&) const = default;
};

// Draws one pixel per square in the colour of the rank with the most samples in it. A square that contains a duplicate
// or a dropped sample has that colour, for any number of samples.
QImage mapImage(const ShardPlan& plan, const MapGeometry& map, const MapColors& colors, const std::atomic<bool>& stop);

}  // namespace ringside
