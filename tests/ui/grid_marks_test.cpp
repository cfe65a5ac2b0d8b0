// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/grid/picture/grid_marks.h"

#include <random>

#include "plans.h"
#include "support/catch.h"

using namespace ringside;

namespace {

constexpr double kMin = 4;
constexpr SamplerKind kKinds[] = {SamplerKind::kDistributed, SamplerKind::kBatchSharded, SamplerKind::kContiguous,
                                  SamplerKind::kUnpadded, SamplerKind::kSubset};

bool isMarked(CellKind kind) {
    return kind != CellKind::Normal && kind != CellKind::None;
}

// Returns the marked cells by examining each cell, which is slow and simple.
std::vector<GridCell> markedByLooking(const ShardScene& scene) {
    std::vector<GridCell> cells;
    for (int rank = 0; rank < scene.ranks(); ++rank) {
        for (qint64 slot = 0; slot < scene.columns(); ++slot) {
            if (isMarked(cellContent(scene.plan, rank, slot).kind)) cells.push_back({rank, slot});
        }
    }
    return cells;
}

ShardScene randomScene(std::mt19937& random) {
    const auto upTo = [&](int most) { return std::uniform_int_distribution<int>(1, most)(random); };
    ShardSpec spec;
    spec.datasetSize = upTo(upTo(3) == 1 ? 20 : 3000);
    spec.worldSize = upTo(70);
    spec.batchSize = upTo(40);
    spec.dropLast = upTo(2) == 1;
    spec.loaderDropLast = upTo(2) == 1;
    spec.kind = kKinds[upTo(5) - 1];
    return sceneOf(spec);
}

// True if the cell, which is in the visible area, is covered by a mark of its kind that is visible and has the minimum
// width.
bool isSeen(const ShardScene& scene, const GridGeometry& view, GridCell cell) {
    const CellKind kind = cellContent(scene.plan, cell.rank, cell.slot).kind;
    const double width = view.area().width();
    for (const PlacedMark& mark : placedMarks(markRuns(scene, cell.rank), view.firstSlot(), view.pitch(), kMin)) {
        if (mark.run.kind != kind || cell.slot < mark.run.span.first || cell.slot >= mark.run.span.last) continue;
        return mark.right - mark.left >= kMin - 1e-6 && std::min(mark.right, width) - std::max(mark.left, 0.0) >= 1;
    }
    return false;
}

}  // namespace

TEST_CASE("runs are the duplicates of each rank, then its dropped samples") {
    // 4 3 6 | 1 9 2 | 7 0 (4) | 5 8 (1)
    const ShardScene padded = sceneOf(tenOnFour());
    CHECK(markRuns(padded, 1).empty());
    CHECK(markRuns(padded, 2) == std::vector<MarkRun>{{{2, 3}, CellKind::Duplicate}});
    ShardSpec cut = tenOnFour();
    cut.loaderDropLast = true;
    CHECK(markRuns(sceneOf(cut), 2) == std::vector<MarkRun>{{{2, 3}, CellKind::DroppedByLoader}});
    cut.loaderDropLast = false;
    cut.dropLast = true;
    CHECK(markRuns(sceneOf(cut), 1) == std::vector<MarkRun>{{{2, 3}, CellKind::DroppedBySampler}});
    CHECK(markRuns(sceneOf(cut), 2).empty());
    CHECK(markCount(padded) == 2);
    CHECK(markedCells(padded, 1, 5) == std::vector<GridCell>{{3, 2}});
}

TEST_CASE("a sampler that drops whole batches leaves no sample without a cell") {
    ShardSpec spec = tenOnFour();
    spec.kind = SamplerKind::kBatchSharded;
    spec.datasetSize = 15;  // one global batch of 8; 7 are left over, on 4 ranks
    spec.dropLast = true;
    const ShardScene scene = sceneOf(spec);
    CHECK(scene.plan.dropped().size() == 7);
    CHECK(scene.columns() == 4);
    CHECK(markCount(scene) == 7);
    for (const std::uint32_t sample : scene.plan.dropped()) {
        const auto place = droppedPlace(scene.plan, sample);
        REQUIRE(place);
        CHECK(cellContent(scene.plan, place->rank, place->slot).sample == sample);
    }
}

TEST_CASE("every duplicate and every dropped sample is marked at all sizes") {
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
        const ShardScene scene = randomScene(random);
        const std::vector<GridCell> expected = markedByLooking(scene);
        CHECK(markedCells(scene, 0, 1 << 20) == expected);
        CHECK(markCount(scene) == static_cast<qint64>(expected.size()));
    }
}

TEST_CASE("no mark is averaged away at any zoom and any place") {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> share(0, 1);
    for (int round = 0; round < 300; ++round) {
        const ShardScene scene = randomScene(random);
        GridGeometry view;
        view.setShape(scene.columns(), scene.ranks());
        view.setArea({30 + 900 * share(random), 400});
        view.fit();
        view.zoomAt({0, 0}, std::pow(view.kLargestPitch / view.smallestPitch(), share(random)));
        view.setFirstSlot(static_cast<double>(scene.columns()) * share(random));
        const CellRange seen = view.visibleSlots();
        for (const GridCell cell : markedByLooking(scene)) {
            const QRectF place = view.cell(cell.rank, cell.slot);
            const bool inSight = cell.slot >= seen.first && cell.slot < seen.last && place.right() > 1 &&
                                 place.left() < view.area().width() - 1;
            if (inSight) CHECK(isSeen(scene, view, cell));
        }
    }
}
