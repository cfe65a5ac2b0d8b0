// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/grid/picture/cell_differences.h"

#include <random>

#include "plans.h"
#include "support/catch.h"

using namespace ringside;

namespace {

const std::atomic<bool> kGoOn{false};

std::int64_t sampleIn(const ShardPlan& plan, int rank, qint64 slot) {
    return rank < plan.spec().worldSize ? cellContent(plan, rank, slot).sample : -1;
}

}  // namespace

TEST_CASE("cells with different samples are distinguished from equal ones") {
    // The ranks get 4 3 6 | 1 9 2 | 7 0 4 | 5 8 1 with padding, and 4 3 (6) | 1 9 (2) | 7 0 | 5 8 with drop_last.
    ShardSpec cut = tenOnFour();
    cut.dropLast = true;
    const CellDifferences ofPadded(sceneOf(tenOnFour()), planOf(cut), kGoOn);
    CHECK(ofPadded.cells() == 12);
    CHECK(ofPadded.count() == 2);  // the two repeated samples
    CHECK(ofPadded.differs(2, 2));
    CHECK(ofPadded.differs(3, 2));
    CHECK(!ofPadded.differs(0, 2));
    const CellDifferences ofCut(sceneOf(cut), planOf(tenOnFour()), kGoOn);
    CHECK(ofCut.cells() == 10);
    CHECK(ofCut.count() == 0);
    CHECK(CellDifferences(sceneOf(cut), planOf(cut), std::atomic<bool>(true)).cells() == 0);
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
                const std::int64_t own = sampleIn(scene.plan, rank, slot);
                row += own >= 0 && own != sampleIn(other, rank, slot) ? 1 : 0;
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
