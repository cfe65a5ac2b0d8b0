// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/balance/scene_balance.h"

#include "data/sets/common/dataset.h"
#include "plans.h"
#include "support/catch.h"

using namespace ringside;

namespace {

// Returns a scene with ten samples whose classes alternate between 0 and 1. Epoch 0 assigns 4 3 6 | 1 9 2 | 7 0 4 | 5 8
// 1 in batches of two.
ShardScene twoClasses() {
    ShardScene scene = sceneOf(tenOnFour());
    scene.data = loadDataset({}).value().training;  // only its number of classes matters: ten
    scene.labels =
        std::make_shared<std::vector<std::uint16_t>>(std::vector<std::uint16_t>{0, 1, 0, 1, 0, 1, 0, 1, 0, 1});
    return scene;
}

}  // namespace

TEST_CASE("every step's classes are counted over all ranks") {
    const BatchBalance balance = batchBalance(twoClasses(), std::atomic<bool>(false));
    CHECK(balance.steps == 2);
    CHECK(balance.classes == 10);
    // Step 1: 4 3 1 9 7 0 5 8; step 2: 6 2 4 1.
    CHECK(balance.sizes == std::vector<std::int64_t>{8, 4});
    CHECK(balance.count(0, 0) == 3);
    CHECK(balance.count(0, 1) == 5);
    CHECK(balance.count(1, 0) == 3);
    CHECK(balance.count(1, 1) == 1);
    CHECK(balance.count(0, 2) == 0);
    CHECK(balance.band(0, 0).expected == Approx(4));  // 8 of 10 samples, half of class 0
    CHECK(balance.band(0, 2).expected == 0);
}

TEST_CASE("without classes there is no balance") {
    CHECK(batchBalance(sceneOf(tenOnFour()), std::atomic<bool>(false)).classes == 0);
}

TEST_CASE("a count on the band's edge is inside, the whole number beyond it is not") {
    const ChanceBand band{4, 2.5, 5.5};
    CHECK(!isOutside(2, band));
    CHECK(!isOutside(6, band));
    CHECK(isOutside(1, band));
    CHECK(isOutside(7, band));
}
