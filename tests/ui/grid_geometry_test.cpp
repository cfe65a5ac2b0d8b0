// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/grid/picture/grid_geometry.h"

#include <cmath>

#include "support/catch.h"

using namespace ringside;

TEST_CASE("the detail of a cell follows its width in pixels") {
    CHECK(cellDetail(62) == CellDetail::Thumbnail);
    CHECK(cellDetail(48) == CellDetail::Thumbnail);
    CHECK(cellDetail(47.9) == CellDetail::Index);
    CHECK(cellDetail(16) == CellDetail::Index);
    CHECK(cellDetail(15.9) == CellDetail::Border);
    CHECK(cellDetail(4) == CellDetail::Border);
    CHECK(cellDetail(3.9) == CellDetail::Color);
    CHECK(cellDetail(1) == CellDetail::Color);
    CHECK(cellDetail(0.99) == CellDetail::Majority);
}

TEST_CASE("fitting shows every slot of the epoch, and few slots have a maximum width") {
    GridGeometry geometry;
    geometry.setArea({720, 360});
    geometry.setShape(360, 4);
    geometry.fit();
    CHECK(geometry.pitch() == Approx(2));
    CHECK(geometry.visibleSlots() == CellRange{0, 360});

    geometry.setShape(3, 4);
    geometry.fit();
    CHECK(geometry.pitch() == GridGeometry::kLargestPitch);
}

TEST_CASE("a point finds the cell it lies in, and nothing beyond the last slot and rank") {
    GridGeometry geometry;
    geometry.setArea({200, 320});
    geometry.setShape(100, 4);
    geometry.fit();  // 2 px per slot and 80 px per rank
    CHECK(geometry.cellAt({0, 0}) == GridCell{0, 0});
    CHECK(geometry.cellAt({1.9, 79}) == GridCell{0, 0});
    CHECK(geometry.cellAt({2, 81}) == GridCell{1, 1});
    CHECK(geometry.cellAt({199, 319}) == GridCell{3, 99});
    CHECK(!geometry.cellAt({-1, 10}));
    CHECK(!geometry.cellAt({10, 321}));

    geometry.setShape(2, 2);  // two cells of the largest size, then empty space
    CHECK(!geometry.cellAt({2 * GridGeometry::kLargestPitch + 1, 10}));
    CHECK(!geometry.cellAt({10, 2 * GridGeometry::kLargestRow + 1}));
}

TEST_CASE("every visible cell is found again at its own middle, at any zoom") {
    GridGeometry geometry;
    geometry.setArea({640, 333});
    geometry.setShape(1000, 64);
    geometry.fit();
    for (int zoom = 0; zoom < 20; ++zoom) {
        geometry.zoomAt({123, 45}, 1.3);
        const CellRange visible = geometry.visibleSlots();
        const CellRange ranks = geometry.visibleRanks();
        const GridCell middle{static_cast<int>((ranks.first + ranks.last) / 2), (visible.first + visible.last) / 2};
        CHECK(geometry.cellAt(geometry.cell(middle.rank, middle.slot).center()) == middle);
    }
}

TEST_CASE("zooming keeps the slot under the pointer where it is") {
    GridGeometry geometry;
    geometry.setArea({800, 400});
    geometry.setShape(10000, 8);
    geometry.fit();
    const QPointF pointer(400, 200);
    const auto before = geometry.cellAt(pointer);
    geometry.zoomAt(pointer, 8);
    const auto after = geometry.cellAt(pointer);
    REQUIRE(before);
    REQUIRE(after);
    CHECK(std::abs(before->slot - after->slot) <= 12);  // one pixel corresponded to 12.5 slots before
    CHECK(before->rank == after->rank);
}

TEST_CASE("the view stays within the epoch") {
    GridGeometry geometry;
    geometry.setArea({620, 352});
    geometry.setShape(100, 4);
    geometry.showStart();
    geometry.panBy({-500, -500});
    CHECK(geometry.firstSlot() == 0);
    CHECK(geometry.scrollY() == 0);
    geometry.panBy({1e9, 1e9});
    CHECK(geometry.firstSlot() == Approx(100 - 620 / geometry.pitch()));
    CHECK(geometry.scrollY() == 0);  // four rows of 88 px fit
    geometry.zoomAt({0, 0}, 1e-9);
    CHECK(geometry.pitch() == Approx(6.2));
}

TEST_CASE("many ranks keep a readable row and scroll") {
    GridGeometry geometry;
    geometry.setArea({600, 320});
    geometry.setShape(20019, 64);
    geometry.fit();
    CHECK(geometry.rowHeight() == GridGeometry::kSmallestRow);
    CHECK(geometry.contentHeight() == 512);
    geometry.show({63, 20018});
    CHECK(geometry.visibleRanks().last == 64);
    geometry.showStart();
    CHECK(geometry.rowHeight() > 80);  // thumbnails have room
    geometry.show({63, 20018});
    CHECK(geometry.visibleSlots().last == 20019);
    CHECK(geometry.visibleRanks().last == 64);
}

TEST_CASE("a fitted view stays fitted when the epoch gets longer") {
    GridGeometry geometry;
    geometry.setArea({500, 320});
    geometry.setShape(100, 4);
    geometry.fit();
    geometry.setShape(1000, 4);
    CHECK(geometry.visibleSlots() == CellRange{0, 1000});
}

TEST_CASE("at home no cell is truncated at the edge for any width, until the view is moved") {
    GridGeometry geometry;
    geometry.setArea({600, 320});
    geometry.setShape(1000, 4);
    geometry.showStart();
    for (const double width : {777.0, 400.0, 1031.0}) {
        geometry.setArea({width, 320});
        const double shown = width / geometry.pitch();
        CHECK(shown == Approx(std::round(shown)));
        CHECK(geometry.detail() == CellDetail::Thumbnail);
    }
    geometry.panBy({10, 0});
    const double pitch = geometry.pitch();
    geometry.setArea({500, 320});
    CHECK(geometry.pitch() == pitch);
}

TEST_CASE("all ranks stay visible while a thumbnail fits into their height") {
    GridGeometry geometry;
    geometry.setArea({600, 264});
    geometry.setShape(1000, 4);
    geometry.showStart();
    CHECK(geometry.rowHeight() == 66);
    CHECK(geometry.visibleRanks() == CellRange{0, 4});
    geometry.setShape(1000, 8);  // 33 px per row are too few, so the rows are higher and the view scrolls
    CHECK(geometry.rowHeight() > 66);
}

TEST_CASE("a notice above the grid does not hide one of four ranks") {
    GridGeometry geometry;
    geometry.setArea({444, 200});  // 242 without the notice
    geometry.setShape(360, 4);
    geometry.showStart();
    CHECK(geometry.rowHeight() == 50);
    CHECK(geometry.detail() == CellDetail::Thumbnail);
    CHECK(geometry.visibleRanks() == CellRange{0, 4});
}

TEST_CASE("few slots in low rows are fitted as indices with all ranks visible") {
    GridGeometry geometry;
    geometry.setArea({540, 100});  // the size of one half of the A/B view
    geometry.setShape(3, 4);
    geometry.fit();
    CHECK(geometry.detail() == CellDetail::Index);
    CHECK(geometry.visibleRanks() == CellRange{0, 4});
    CHECK(geometry.contentHeight() == 100);
    geometry.zoomAt({0, 0}, 2);
    CHECK(geometry.detail() == CellDetail::Thumbnail);
    CHECK(geometry.contentHeight() > 300);  // thumbnails have room
}
