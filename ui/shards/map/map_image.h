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

// Draws an image with one pixel for each square, in the colour of the rank that has the most samples of the square. If
// any sample of the square is a duplicate or is dropped, the pixel has the colour for duplicates or dropped samples.
QImage mapImage(const ShardPlan& plan, const MapGeometry& map, const MapColors& colors, const std::atomic<bool>& stop);

}  // namespace ringside
