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

// One pixel for each square, in the colour of the rank that owns most of its samples. A square that holds a duplicate
// or a dropped sample has that colour, however many samples share it.
QImage mapImage(const ShardPlan& plan, const MapGeometry& map, const MapColors& colors, const std::atomic<bool>& stop);

}  // namespace ringside
