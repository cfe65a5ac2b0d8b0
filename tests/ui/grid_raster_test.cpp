// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/grid/picture/grid_raster.h"

#include "plans.h"
#include "support/catch.h"
#include "theme/theme.h"

using namespace ringside;

TEST_CASE("a cell shows its sample and state") {
    const ShardPlan padded = planOf(tenOnFour());
    CHECK(cellContent(padded, 0, 0).sample == 4);
    CHECK(cellContent(padded, 0, 0).kind == CellKind::Normal);
    CHECK(cellContent(padded, 1, 2).sample == 2);
    CHECK(cellContent(padded, 1, 2).kind == CellKind::Normal);
    CHECK(cellContent(padded, 2, 2).sample == 4);
    CHECK(cellContent(padded, 2, 2).kind == CellKind::Duplicate);
    CHECK(cellContent(padded, 3, 2).sample == 1);
    CHECK(cellContent(padded, 3, 2).step == 1);
    CHECK(cellContent(padded, 0, 3).kind == CellKind::None);
}

TEST_CASE("samples dropped by the sampler appear after the end, at their position without drop_last") {
    ShardSpec spec = tenOnFour();
    spec.dropLast = true;
    const ShardScene scene = sceneOf(spec);
    CHECK(scene.columns() == 3);
    CHECK(cellContent(scene.plan, 0, 2).kind == CellKind::DroppedBySampler);
    CHECK(cellContent(scene.plan, 0, 2).sample == 6);
    CHECK(cellContent(scene.plan, 1, 2).sample == 2);
    CHECK(cellContent(scene.plan, 1, 2).position == 9);
    CHECK(cellContent(scene.plan, 2, 2).kind == CellKind::None);
    REQUIRE(droppedPlace(scene.plan, 2));
    CHECK(droppedPlace(scene.plan, 2)->rank == 1);
    CHECK(!droppedPlace(scene.plan, 4));
}

TEST_CASE("the short last batch is dropped by the loader, duplicates in it too") {
    ShardSpec spec = tenOnFour();
    spec.loaderDropLast = true;
    const ShardPlan plan = planOf(spec);
    CHECK(cellContent(plan, 0, 1).kind == CellKind::Normal);
    CHECK(cellContent(plan, 0, 2).kind == CellKind::DroppedByLoader);
    CHECK(cellContent(plan, 2, 2).kind == CellKind::DroppedByLoader);
    CHECK(cellContent(plan, 2, 2).step == -1);
}

TEST_CASE("a pixel that covers many cells has their majority colour") {
    Theme theme;
    ShardSpec spec = tenOnFour();
    spec.shuffle = false;
    spec.datasetSize = 8;
    spec.worldSize = 1;
    ShardScene scene = sceneOf(spec);
    scene.data = loadDataset({}).value().training;
    // Order 0..7 with classes 1 2 2 2 3 3 4 4: the first four samples are mostly of class 2, then 3 and 4 tie.
    scene.labels = std::make_shared<std::vector<std::uint16_t>>(std::vector<std::uint16_t>{1, 2, 2, 2, 3, 3, 4, 4});
    const CellColors colors(ColorBy::Class, scene, theme);
    const QImage image = rasterized(scene, colors, {0, 4, 3, {0, 1}});
    CHECK(QColor(image.pixel(0, 0)) == theme.classColor(2));
    CHECK(QColor(image.pixel(1, 0)) == theme.classColor(3));  // of two equally frequent classes, the first one
    CHECK(qAlpha(image.pixel(2, 0)) == 0);                    // after the last sample
}

TEST_CASE("by rank, every second step is paler and every row has its rank's colour") {
    Theme theme;
    const ShardScene scene = sceneOf(tenOnFour());
    const CellColors colors(ColorBy::Rank, scene, theme);
    const QImage image = rasterized(scene, colors, {0, 1, 3, {0, 4}});
    for (int rank = 0; rank < 4; ++rank) {
        CHECK(image.pixel(0, rank) == image.pixel(1, rank));  // slots 0 and 1 are in the same batch of two
        CHECK(QColor(image.pixel(2, rank)) == theme.rankColor(rank));
        CHECK(image.pixel(0, rank) != image.pixel(2, rank));
    }
}
