// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/balance/scene_balance.h"

#include "plans.h"
#include "support/catch.h"

using namespace ringside;

TEST_CASE("the range expected by chance is that of the hypergeometric distribution") {
    // n = 100, 50 of the class, 20 drawn: mean 10, variance 20 * 0.5 * 0.5 * 80 / 99 = 4.0404, 1.96 * 2.0101 = 3.9397
    const ChanceBand band = chanceBand(100, 50, 20);
    CHECK(band.expected == Approx(10));
    CHECK(band.low == Approx(6.0603).epsilon(1e-4));
    CHECK(band.high == Approx(13.9397).epsilon(1e-4));
    CHECK(chanceBand(100, 50, 100).low == Approx(50));  // all samples are drawn, so chance has no influence
    CHECK(chanceBand(100, 50, 100).high == Approx(50));
    CHECK(chanceBand(0, 0, 0).high == 0);
}

TEST_CASE("a rank is tested over all its classes together") {
    // Two classes of 50, 20 of 100 drawn, 13 and 7 of them: (3^2 + 3^2) / (10 * 80 / 99) = 2.2275. Chi-square with one
    // degree of freedom has its 95 % point at 3.841.
    ClassBalance balance{1, 2, {13, 7}, {chanceBand(100, 50, 20), chanceBand(100, 50, 20)}};
    CHECK(balance.distance(0) == Approx(2.2275).epsilon(1e-4));
    CHECK(balance.distanceLimit() == Approx(3.841).epsilon(0.03));
    CHECK(balance.isWithinLimit(0));
    balance.counts = {15, 5};  // (25 + 25) / 8.0808 = 6.1875
    CHECK(balance.distance(0) == Approx(6.1875).epsilon(1e-4));
    CHECK_FALSE(balance.isWithinLimit(0));
    balance.classes = 10;
    CHECK(balance.distanceLimit() == Approx(16.919).epsilon(0.005));
}

TEST_CASE("every rank's classes are counted, duplicates included") {
    ShardScene scene = sceneOf(tenOnFour());  // 4 3 6 | 1 9 2 | 7 0 4 | 5 8 1
    scene.data = loadDataset({}).value().training;
    std::vector<std::uint16_t> labels;
    for (std::uint16_t sample = 0; sample < 10; ++sample) labels.push_back(sample % 2);
    scene.labels = std::make_shared<std::vector<std::uint16_t>>(labels);
    const ClassBalance balance = classBalance(scene);
    CHECK(balance.count(0, 0) == 2);
    CHECK(balance.count(0, 1) == 1);
    CHECK(balance.count(1, 1) == 2);
    CHECK(balance.count(2, 0) == 2);
    CHECK(balance.count(3, 1) == 2);
    CHECK(balance.countsOutsideBands() == 0);
}

TEST_CASE("a rank that gets one class only is outside the band") {
    ShardSpec spec;
    spec.datasetSize = 400;
    spec.worldSize = 2;
    spec.shuffle = false;
    spec.batchSize = 10;
    ShardScene scene = sceneOf(spec);
    scene.data = loadDataset({}).value().training;
    std::vector<std::uint16_t> labels;
    // The labels alternate, so rank r gets only samples of class r.
    for (std::uint16_t sample = 0; sample < 400; ++sample) labels.push_back(sample % 2);
    scene.labels = std::make_shared<std::vector<std::uint16_t>>(labels);
    const ClassBalance balance = classBalance(scene);
    CHECK(balance.count(0, 0) == 200);
    CHECK(balance.outside(0, 0));
    CHECK(balance.outside(0, 1));
    CHECK(balance.outside(1, 1));
    CHECK(balance.countsOutsideBands() == 4);
}
