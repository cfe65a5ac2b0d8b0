// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/grid/breadcrumb.h"

#include <QSignalSpy>

#include "plans.h"
#include "support/catch.h"

using namespace ringside;

namespace {

QString words(const QList<Crumb>& trail) {
    QStringList parts;
    for (const Crumb& crumb : trail) parts << crumb.text;
    return parts.join(" > ");
}

GridGeometry viewOf(const ShardScene& scene, QSizeF area) {
    GridGeometry view;
    view.setShape(scene.columns(), scene.ranks());
    view.setArea(area);
    view.fit();
    return view;
}

}  // namespace

TEST_CASE("the trail leads to the selected sample") {
    const ShardScene scene = sceneOf(tenOnFour());  // 4 3 6 | 1 9 2 | 7 0 (4) | 5 8 (1), batches of 2
    const GridGeometry view = viewOf(scene, {400, 400});
    CHECK(words(trailOf(scene, view, {})) == "Epoch 1");
    CHECK(words(trailOf(scene, view, GridCell{1, 1})) == "Epoch 1 > rank 1 > step 1 > sample 9");
    CHECK(words(trailOf(scene, view, GridCell{2, 2})) == "Epoch 1 > rank 2 > step 2 > sample 4 again");
    CHECK(stepSlots(scene, 1) == CellRange{0, 2});
    CHECK(stepSlots(scene, 2) == CellRange{2, 3});
}

TEST_CASE("the trail shows what dropped a sample") {
    ShardSpec spec = tenOnFour();
    spec.dropLast = true;
    const ShardScene cut = sceneOf(spec);
    const GridGeometry view = viewOf(cut, {400, 400});
    CHECK(words(trailOf(cut, view, GridCell{1, 2})) == "Epoch 1 > dropped by the sampler > sample 2");
    CHECK(stepSlots(cut, 2) == CellRange{2, 3});
    spec.dropLast = false;
    spec.loaderDropLast = true;
    CHECK(words(trailOf(sceneOf(spec), view, GridCell{1, 2})) == "Epoch 1 > rank 1 > dropped by the loader > sample 2");
}

TEST_CASE("without a selection the trail shows the visible part") {
    ShardSpec spec = tenOnFour();
    spec.datasetSize = 4000;
    spec.worldSize = 40;
    spec.batchSize = 10;
    const ShardScene scene = sceneOf(spec);
    GridGeometry view = viewOf(scene, {100, 80});  // rows of 8 pixels: ranks 0 to 9
    CHECK(words(trailOf(scene, view, {})) == "Epoch 1 > ranks 0 to 9");
    view.showSlots({20, 30});
    CHECK(view.visibleSlots() == CellRange{20, 30});
    CHECK(words(trailOf(scene, view, {})).endsWith("> step 3"));
    view.showSlots({20, 40});
    CHECK(words(trailOf(scene, view, {})).endsWith("> steps 3 to 4"));
}

TEST_CASE("a click on a part of the trail requests that level") {
    Breadcrumb bread;
    bread.setTrail({{CrumbKind::Epoch, "Epoch 0"}, {CrumbKind::Rank, "rank 1"}, {CrumbKind::Step, "step 3"}});
    bread.setTrail({{CrumbKind::Epoch, "Epoch 0"}, {CrumbKind::Step, "step 3"}});
    QSignalSpy spy(&bread, &Breadcrumb::chosen);
    bread.findChild<QPushButton*>("crumb1Button")->click();
    REQUIRE(spy.size() == 1);
    CHECK(spy[0][0].value<CrumbKind>() == CrumbKind::Step);
    CHECK(bread.findChild<QPushButton*>("crumb2Button")->isHidden());
}

TEST_CASE("the last part of a trail is truncated without room, and complete with room") {
    QWidget page;  // a page within this widget, because a window cannot become smaller than its parts
    Breadcrumb bread(&page);
    bread.setTrail({{CrumbKind::Epoch, "Epoch 0"}, {CrumbKind::Sample, "sample 1069931 again"}});
    bread.resize(200, 22);
    page.show();
    auto* last = bread.findChild<QPushButton*>("crumb1Button");
    CHECK(last->text().endsWith(QStringLiteral("\u2026")));
    CHECK(last->accessibleName() == "sample 1069931 again");
    CHECK(bread.findChild<QPushButton*>("crumb0Button")->text() == "Epoch 0");
    bread.resize(400, 22);
    CHECK(last->text() == "sample 1069931 again");
}
