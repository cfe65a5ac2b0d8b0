// SPDX-License-Identifier: GPL-3.0-or-later
#include "plans.h"
#include "shards/map/map_image.h"
#include "support/catch.h"

using namespace ringside;

namespace {

const MapColors kColors{{0xff000001, 0xff000002, 0xff000003, 0xff000004}, 0xff0000d0, 0xff0000dd};

QImage drawn(const ShardSpec& spec, const MapGeometry& map) {
    return mapImage(planOf(spec), map, kColors, std::atomic<bool>(false));
}

}  // namespace

TEST_CASE("the squares of the map are as large as possible") {
    const MapGeometry map = MapGeometry::fitted(10, {100, 40});
    CHECK(map.side == 20);  // 5 x 2
    CHECK(map.columns == 5);
    CHECK(map.rows == 2);
    CHECK(map.rect(7) == QRectF(40, 20, 20, 20));
    CHECK(map.sampleAt({45, 25}) == 7);
    CHECK(!map.sampleAt({-1, 0}));
    CHECK(!map.sampleAt({10, 40}));
    CHECK(MapGeometry::fitted(3, {1000, 1000}).side == MapGeometry::kLargestSide);
}

TEST_CASE("more samples than pixels share them evenly") {
    const MapGeometry map = MapGeometry::fitted(1'281'167, {600, 300});
    CHECK(map.side == 1);
    CHECK(map.perSquare == 8);  // ceil(1281167 / 180000)
    CHECK(map.rows == 267);     // ceil(160146 / 600)
    CHECK(map.sampleAt({1, 0}) == 8);
    CHECK(MapGeometry::fitted(0, {0, 0}).rows == 0);
}

TEST_CASE("every sample has the colour of its rank; duplicates and dropped samples are marked") {
    // 4 3 6 | 1 9 2 | 7 0 (4) | 5 8 (1)
    const MapGeometry map = MapGeometry::fitted(10, {100, 40});
    const QImage image = drawn(tenOnFour(), map);
    CHECK(image.pixel(3, 0) == kColors.ranks[0]);
    CHECK(image.pixel(0, 0) == kColors.ranks[2]);
    CHECK(image.pixel(3, 1) == kColors.ranks[3]);  // sample 8
    CHECK(image.pixel(4, 0) == kColors.duplicate);
    CHECK(image.pixel(1, 0) == kColors.duplicate);
    ShardSpec cut = tenOnFour();
    cut.dropLast = true;
    CHECK(drawn(cut, map).pixel(2, 0) == kColors.dropped);
    CHECK(drawn(cut, map).pixel(1, 1) == kColors.dropped);  // sample 6
}

TEST_CASE("a mark is not averaged away under many samples") {
    ShardSpec many = tenOnFour();
    many.datasetSize = 40'001;  // three are used twice
    const MapGeometry map = MapGeometry::fitted(many.datasetSize, {20, 20});
    const QImage image = drawn(many, map);
    int marked = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) marked += image.pixel(x, y) == kColors.duplicate ? 1 : 0;
    }
    CHECK(marked == 3);
}
