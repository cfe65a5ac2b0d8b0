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

// Returns the left and right edges of all marks, in pixels from the left edge of the grid. Slots are `pitch` pixels
// wide, and firstSlot is at x = 0. Each mark is widened to at least `least` pixels. Marks do not overlap if there is
// room, and widening moves no mark beyond the left edge.
std::vector<PlacedMark> placedMarks(const std::vector<MarkRun>& runs, double firstSlot, double pitch, double least);

// Returns the number of duplicates and dropped samples of all ranks.
qint64 markCount(const ShardScene& scene);

// Returns up to `most` cells with duplicates or dropped samples, rank by rank, after the first `skipped` such cells.
std::vector<GridCell> markedCells(const ShardScene& scene, qint64 skipped, qint64 most);

}  // namespace ringside
