// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "shards/loom/picture/loom_geometry.h"
#include "shards/scene/shard_scene.h"

namespace ringside {

// Neighbouring cells of one rank that are all duplicates, or all dropped in the same way.
struct MarkRun {
    CellRange span;  // columns of the loom
    CellKind kind = CellKind::None;
    bool operator==(const MarkRun&) const = default;
};

// All cells of a rank that are not plain training samples, in ascending order: at most three runs, since duplicates and
// dropped samples are each rank's last.
std::vector<MarkRun> markRuns(const ShardScene& scene, int rank);

struct PlacedMark {
    MarkRun run;
    double left = 0, right = 0;  // pixels
};

// Where the runs are drawn when a slot is `pitch` pixels wide and firstSlot is at x = 0: each at least `least` wide,
// beside each other as far as there is room, and none lost to the left edge.
std::vector<PlacedMark> placedMarks(const std::vector<MarkRun>& runs, double firstSlot, double pitch, double least);

// How many cells of all ranks are marked.
qint64 markCount(const ShardScene& scene);

// The first `most` marked cells after the first `skipped`, rank by rank.
std::vector<LoomCell> markedCells(const ShardScene& scene, qint64 skipped, qint64 most);

}  // namespace ringside
