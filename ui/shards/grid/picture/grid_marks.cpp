// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/grid/picture/grid_marks.h"

#include <algorithm>

#include "sampling/findings/plan_marks.h"

namespace ringside {
namespace {

CellRange spanOf(const SlotRange& range) {
    return {range.first, range.first + range.count};
}

}  // namespace

std::vector<MarkRun> markRuns(const ShardScene& scene, int rank) {
    const ShardPlan& plan = scene.plan;
    const CellRange cut = spanOf(loaderDroppedSlots(plan, rank));
    CellRange padded = spanOf(paddedSlots(plan, rank));
    padded.last = std::min(padded.last, cut.first);  // padded samples that the loader drops are marked as dropped only
    const auto dropped = static_cast<qint64>(plan.dropped().size());
    const qint64 world = plan.spec().worldSize;
    const qint64 kept = rank < dropped ? (dropped - rank - 1) / world + 1 : 0;
    const MarkRun runs[] = {{padded, CellKind::Duplicate},
                            {cut, CellKind::DroppedByLoader},
                            {{plan.samplesPerRank(), plan.samplesPerRank() + kept}, CellKind::DroppedBySampler}};
    std::vector<MarkRun> found;
    for (const MarkRun& run : runs) {
        if (run.span.size() > 0) found.push_back(run);
    }
    return found;
}

std::vector<PlacedMark> placedMarks(const std::vector<MarkRun>& runs, double firstSlot, double pitch, double least) {
    std::vector<PlacedMark> marks(runs.size());
    const auto at = [&](qint64 slot) { return (static_cast<double>(slot) - firstSlot) * pitch; };
    for (std::size_t i = runs.size(); i-- > 0;) {
        const double right = at(runs[i].span.last);
        marks[i].run = runs[i];
        marks[i].right = i + 1 < runs.size() ? std::min(right, marks[i + 1].left) : right;
        marks[i].left = std::min(at(runs[i].span.first), marks[i].right - least);
        if (marks[i].left < 0 && right > 0) {
            marks[i].left = std::max(marks[i].left, std::min(0.0, at(runs[i].span.first)));
            marks[i].right = std::max(marks[i].right, least);
        }
    }
    return marks;
}

qint64 markCount(const ShardScene& scene) {
    qint64 count = 0;
    for (int rank = 0; rank < scene.ranks(); ++rank) {
        for (const MarkRun& run : markRuns(scene, rank)) count += run.span.size();
    }
    return count;
}

std::vector<GridCell> markedCells(const ShardScene& scene, qint64 skipped, qint64 most) {
    std::vector<GridCell> cells;
    for (int rank = 0; rank < scene.ranks() && most > 0; ++rank) {
        for (const MarkRun& run : markRuns(scene, rank)) {
            const qint64 passed = std::min(skipped, run.span.size());
            skipped -= passed;
            for (qint64 slot = run.span.first + passed; slot < run.span.last && most > 0; ++slot, --most) {
                cells.push_back({rank, slot});
            }
        }
    }
    return cells;
}

}  // namespace ringside
