// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "shards/grid/picture/grid_geometry.h"
#include "shards/scene/shard_scene.h"

namespace ringside {

// Adjacent cells of one rank that are all duplicates, or all dropped in the same way.
struct MarkRun {
    CellRange span;  // columns of the grid that are marked
    CellKind kind = CellKind::None;
    bool operator==(const MarkRun&) const = default;
};

// Returns all cells of a rank that are not normal training samples, in ascending order: at most three ranges, because
// duplicates and dropped samples are the last cells of each rank.
std::vector<MarkRun> markRuns(const ShardScene& scene, int rank);

struct PlacedMark {
    MarkRun run;
    double left = 0, right = 0;  // left and right edge of the mark, in pixels
};

// Returns the positions of runs for slots of `pitch` pixels with firstSlot at x = 0. Each is at least `least` wide;
// they are placed side by side if there is room, and all start at or after the left edge.
std::vector<PlacedMark> placedMarks(const std::vector<MarkRun>& runs, double firstSlot, double pitch, double least);

// Returns the number of marked cells of all ranks.
qint64 markCount(const ShardScene& scene);

// Returns up to `most` marked cells after the first `skipped`, rank by rank.
std::vector<GridCell> markedCells(const ShardScene& scene, qint64 skipped, qint64 most);

}  // namespace ringside
