// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/shards_page.h"

#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

#include "models/experiment_model.h"
#include "models/plan_model.h"
#include "models/run_model.h"
#include "support/catch.h"
#include "theme/theme.h"
#include "wait_for.h"

using namespace ringside;

namespace {

struct Window {
    Theme theme;
    ExperimentModel experiment;
    PlanModel plan{experiment};
    RunModel run;
    ShardsPage page{experiment, plan, run, theme};

    Window() {
        theme.setMode(Theme::Mode::Light);
        page.resize(1100, 680);
        page.show();
        REQUIRE(waitFor([this] { return plan.plan() != nullptr; }));
    }
    LoomWidget& loom() { return *page.findChild<LoomWidget*>(); }
    QString text(const char* name) { return page.findChild<QLabel*>(QLatin1String(name))->text(); }
    QPoint middleOf(LoomCell cell) {
        const QRectF rect = loom().geometryOfCells().cell(cell.rank, cell.slot);
        return rect.translated(loom().cellsArea().topLeft()).center().toPoint();
    }
};

}  // namespace

TEST_CASE("clicking a cell selects its sample and explains it; clicking again lets go") {
    Window window;
    CHECK(window.text("explanationTitleLabel") == "Which rank gets which sample?");
    QTest::mouseClick(&window.loom(), Qt::LeftButton, {}, window.middleOf({1, 0}));
    // torch.randperm(1437) seeded with 0 begins 515 532
    CHECK(window.plan.selectedSample() == 532);
    CHECK(window.text("explanationTitleLabel") == "Why is sample 532 on rank 1?");
    QTest::mouseClick(&window.loom(), Qt::LeftButton, {}, window.middleOf({1, 0}));
    CHECK(!window.plan.selectedSample());
}

TEST_CASE("dragging pans the loom and selects nothing") {
    Window window;
    LoomWidget& loom = window.loom();
    const QPoint from = window.middleOf({1, 4});
    QTest::mousePress(&loom, Qt::LeftButton, {}, from);
    QTest::mouseMove(&loom, from - QPoint(40, 0));
    QTest::mouseMove(&loom, from - QPoint(140, 0));
    QTest::mouseRelease(&loom, Qt::LeftButton, {}, from - QPoint(140, 0));
    CHECK(loom.geometryOfCells().firstSlot() > 1);
    CHECK(!window.plan.selectedSample());
}

TEST_CASE("the keys zoom, fit, and go to either end") {
    Window window;
    LoomWidget& loom = window.loom();
    QTest::keyClick(&loom, Qt::Key_F);
    CHECK(loom.geometryOfCells().visibleSlots() == Span{0, 360});
    const double fitted = loom.geometryOfCells().pitch();
    QTest::keyClick(&loom, Qt::Key_W);
    CHECK(loom.geometryOfCells().pitch() > fitted);
    QTest::keyClick(&loom, Qt::Key_S);
    CHECK(loom.geometryOfCells().pitch() == Approx(fitted));
    QTest::keyClick(&loom, Qt::Key_Home);
    CHECK(loom.geometryOfCells().detail() == CellDetail::Thumbnail);
    QTest::keyClick(&loom, Qt::Key_End);
    CHECK(loom.geometryOfCells().visibleSlots().last == 360);
}

TEST_CASE("the page draws at every zoom, colour and theme without a warning") {
    Window window;
    for (const Theme::Mode mode : {Theme::Mode::Light, Theme::Mode::Dark}) {
        window.theme.setMode(mode);
        for (const char* button :
             {"colorByRankButton", "colorByClassButton", "colorByBatchButton", "colorBySourceButton"}) {
            window.page.findChild<QPushButton*>(QLatin1String(button))->click();
            window.loom().home();
            for (int zoom = 0; zoom < 24; ++zoom) {
                CHECK(!window.page.grab().isNull());
                QTest::keyClick(&window.loom(), Qt::Key_S);
            }
        }
    }
}

TEST_CASE("an experiment that cannot be planned shows its problem; an empty shard explains itself") {
    Window window;
    RunConfig config = window.experiment.config();
    config.parallel.worldSize = 0;
    window.experiment.edit(config, "parallel.world_size");
    CHECK(window.text("shardsEmptyTitleLabel") == "There is no plan for this experiment");
    CHECK(window.page.findChild<QLabel*>("shardsEmptyLabel")->isVisible());

    config.parallel.worldSize = 2000;
    config.sampler.dropLast = true;
    window.experiment.edit(config, "parallel.world_size");
    CHECK(window.text("shardsEmptyTitleLabel") == "No rank gets any sample");

    config.sampler.dropLast = false;
    window.experiment.edit(config, "sampler.drop_last");
    CHECK(!window.page.findChild<QLabel*>("shardsEmptyLabel")->isVisible());
}

TEST_CASE("the selected sample that an epoch drops is shown dropped") {
    Window window;
    RunConfig config = window.experiment.config();
    config.sampler.dropLast = true;
    window.experiment.edit(config, "sampler.drop_last");
    // With seed 2 position 1436, the only one dropped, holds sample 320.
    window.plan.setEpoch(2);
    window.plan.select(320);
    CHECK(window.text("explanationTitleLabel") == "Why does no rank get sample 320?");
}
