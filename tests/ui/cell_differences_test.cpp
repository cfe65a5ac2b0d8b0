// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/grid/picture/cell_differences.h"

#include <random>

#include "plans.h"
#include "support/catch.h"

using namespace ringside;

namespace {

const std::atomic<bool> kGoOn{false};

// Returns the sample of a cell, and whether it is trained.
std::pair<std::int64_t, bool> useIn(const ShardPlan& plan, int rank, qint64 slot) {
    if (rank >= plan.spec().worldSize) return {-1, false};
    const CellContent cell = cellContent(plan, rank, slot);
    return {cell.sample, cell.step >= 0};
}

}  // namespace

TEST_CASE("cells with different or dropped samples are distinguished from equal ones") {
    // The ranks get 4 3 6 | 1 9 2 | 7 0 4 | 5 8 1 with padding, and 4 3 (6) | 1 9 (2) | 7 0 | 5 8 with drop_last.
    ShardSpec cut = tenOnFour();
    cut.dropLast = true;
    const CellDifferences ofPadded(sceneOf(tenOnFour()), planOf(cut), kGoOn);
    CHECK(ofPadded.cells() == 12);
    CHECK(ofPadded.count() == 4);  // the two repeated samples, and the two that the other plan drops
    CHECK(ofPadded.differs(2, 2));
    CHECK(ofPadded.differs(3, 2));
    CHECK(ofPadded.differs(0, 2));
    CHECK(!ofPadded.differs(0, 1));
    const CellDifferences ofCut(sceneOf(cut), planOf(tenOnFour()), kGoOn);
    CHECK(ofCut.cells() == 10);
    CHECK(ofCut.count() == 2);
    CHECK(ofCut.differs(0, 2));  // sample 6, which the other plan trains
    CHECK(CellDifferences(sceneOf(cut), planOf(cut), std::atomic<bool>(true)).cells() == 0);
}

TEST_CASE("a sample that the loader drops differs from the same sample that is trained") {
    ShardSpec whole = tenOnFour();  // batches of 2 and 1 on each rank
    whole.loaderDropLast = true;
    const CellDifferences found(sceneOf(tenOnFour()), planOf(whole), kGoOn);
    CHECK(found.count() == 4);
    CHECK(found.differs(1, 2));
}

TEST_CASE("counts of any range are exact and the ranges of a row add up") {
    std::mt19937 random(3);
    const auto upTo = [&](int most) { return std::uniform_int_distribution<int>(1, most)(random); };
    for (int round = 0; round < 60; ++round) {
        ShardSpec a = tenOnFour(), b = tenOnFour();
        a.datasetSize = upTo(2000);
        a.worldSize = upTo(9);
        b = a;
        b.seed = upTo(2) - 1;
        b.worldSize = upTo(2) == 1 ? a.worldSize : upTo(9);
        b.dropLast = upTo(2) == 1;
        const ShardScene scene = sceneOf(a);
        const ShardPlan other = planOf(b);
        const CellDifferences found(scene, other, kGoOn);
        qint64 total = 0;
        for (int rank = 0; rank < scene.ranks(); ++rank) {
            qint64 row = 0, parts = 0;
            for (qint64 slot = 0; slot < scene.columns(); ++slot) {
                const auto own = useIn(scene.plan, rank, slot);
                row += own.first >= 0 && own != useIn(other, rank, slot) ? 1 : 0;
            }
            for (qint64 first = 0; first < scene.columns();) {
                const qint64 last = std::min<qint64>(scene.columns(), first + upTo(150));
                parts += found.count(rank, {first, last});
                first = last;
            }
            CHECK(found.count(rank, {0, scene.columns()}) == row);
            CHECK(parts == row);
            total += row;
        }
        CHECK(found.count() == total);
    }
}
