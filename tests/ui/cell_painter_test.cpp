// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/cells/cell_painter.h"

#include <QImage>

#include "plans.h"
#include "sampling/query/plan_query.h"
#include "shards/grid/grid_widget.h"
#include "shards/map/map_view.h"
#include "support/catch.h"
#include "theme/theme.h"
#include "wait_for.h"

using namespace ringside;

namespace {

constexpr QRectF kCard{10, 10, 60, 80};

// One painted card or chip of ten samples on four ranks, on a white background.
struct Painted {
    Theme theme;
    ShardScene scene;
    CellColors colors;
    Thumbnails thumbnails;
    QImage image{80, 100, QImage::Format_RGB32};

    explicit Painted(const ShardSpec& spec)
        : theme(), scene(sceneOf(spec)), colors((theme.setMode(Theme::Mode::Light), ColorBy::Rank), scene, theme) {
        image.fill(Qt::white);
    }
    void card(GridCell cell) {
        QPainter painter(&image);
        CellPainter(scene, colors, theme, thumbnails).card(painter, kCard, cell, true);
    }
    static int distance(const QColor& a, const QColor& b) {
        return std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) + std::abs(a.blue() - b.blue());
    }
    // Returns the number of rows in which a pixel at the left edge of the card has this colour, also if blended with
    // the background.
    int edge(const QColor& color) const {
        int count = 0;
        for (int y = 18; y < 82; ++y) {
            for (int x = 8; x < 13; ++x) {
                if (10 * distance(image.pixelColor(x, y), color) > 6 * distance(Qt::white, color)) continue;
                ++count;
                break;
            }
        }
        return count;
    }
};

}  // namespace

TEST_CASE(
    "a card has the border colour of its rank, a duplicate the warning colour, a dropped sample a dashed danger "
    "border") {
    Painted plain(tenOnFour());
    plain.card({0, 0});
    CHECK(plain.edge(plain.theme.rankColor(0)) > 60);
    CHECK(plain.edge(plain.theme.colors().warning) == 0);

    Painted again(tenOnFour());
    again.card({2, 2});  // sample 4, repeated as padding
    CHECK(again.edge(again.theme.colors().warning) > 60);

    ShardSpec spec = tenOnFour();
    spec.dropLast = true;
    Painted dropped(spec);
    dropped.card({0, 2});  // a dropped sample, which no rank gets
    const int solid = dropped.edge(dropped.theme.colors().danger);
    CHECK(solid > 15);
    CHECK(solid < 60);
}

TEST_CASE("a cell without a sample stays empty") {
    Painted painted(tenOnFour());
    const QImage before = painted.image;
    painted.card({0, 7});
    CHECK(painted.image == before);
}

TEST_CASE("the text of a card does not touch its border for any number") {
    ShardSpec spec;
    spec.datasetSize = 2'000'000;
    spec.worldSize = 2;
    spec.shuffle = false;
    Painted painted(spec);
    painted.card({1, 999'999});  // sample 1999999
    // Within three pixels of the border, only the background is visible next to the index.
    for (int y = 20; y < 80; ++y) {
        for (const int x : {13, 66}) {
            INFO(x << "," << y);
            CHECK(painted.image.pixelColor(x, y).lightness() > 240);
        }
    }
}

TEST_CASE("search matches are marked on the map") {
    Theme theme;
    theme.setMode(Theme::Mode::Light);
    MapView map(theme);
    map.resize(500, 400);
    map.setScene(sceneOf(tenOnFour()));
    map.show();
    const QImage before = map.grab().toImage();
    map.setHits(std::make_shared<const std::vector<PlanHit>>(std::vector<PlanHit>{{9, 1, 1}}));
    CHECK(map.grab().toImage() != before);
    map.setHits({});
    CHECK(map.grab().toImage() == before);
}

TEST_CASE("only search matches are outlined in the grid") {
    Theme theme;
    theme.setMode(Theme::Mode::Light);
    GridWidget grid(theme);
    grid.resize(700, 420);
    grid.setScene(sceneOf(tenOnFour()));
    grid.show();
    REQUIRE(waitFor([&] { return grid.isSettled(); }));
    const QImage before = grid.grab().toImage();
    const auto hits = std::make_shared<const std::vector<PlanHit>>(std::vector<PlanHit>{{9, 1, 1}, {6, -1, -1}});
    grid.setHits(hits);
    const QImage after = grid.grab().toImage();
    const auto changed = [&](GridCell cell) {
        const QRect rect =
            grid.geometryOfCells().cell(cell.rank, cell.slot).translated(grid.cellsArea().topLeft()).toAlignedRect();
        int count = 0;
        for (int y = rect.top(); y < rect.bottom(); ++y) {
            for (int x = rect.left() - 1; x < rect.left() + 3; ++x) count += before.pixel(x, y) != after.pixel(x, y);
        }
        return count;
    };
    CHECK(changed({1, 1}) > 20);
    CHECK(changed({0, 1}) == 0);
    CHECK(changed({2, 0}) == 0);
    grid.setHits({});
    CHECK(grid.grab().toImage() == before);
}
