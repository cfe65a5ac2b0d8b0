// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/shards_page.h"

#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

#include "models/experiment_model.h"
#include "models/plan_model.h"
#include "models/run_model.h"
#include "shards/loom_widget.h"
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

TEST_CASE("Enter in the find box goes round the hits; Escape clears it") {
    Window window;
    auto* edit = window.page.findChild<QLineEdit*>("findEdit");
    QTest::keyClicks(edit, "dup");
    CHECK(window.text("findCountLabel") == "3 found");
    QTest::keyClick(edit, Qt::Key_Return);
    // torch.randperm(1437) seeded with 0 begins 515 532 1290: these are repeated on ranks 1, 2 and 3.
    CHECK(window.plan.selectedSample() == 515);
    CHECK(window.plan.selectedPlace()->rank == 1);
    CHECK(window.loom().geometryOfCells().visibleSlots().last == 360);
    QTest::keyClick(edit, Qt::Key_Return, Qt::ShiftModifier);
    CHECK(window.plan.selectedSample() == 1290);
    CHECK(window.text("findCountLabel") == "3 of 3");
    QTest::keyClick(edit, Qt::Key_Escape);
    CHECK(edit->text().isEmpty());
    CHECK(window.text("findCountLabel").isEmpty());
}

TEST_CASE("a search that names an epoch moves the cursor there; one that cannot be explains itself") {
    Window window;
    auto* edit = window.page.findChild<QLineEdit*>("findEdit");
    edit->setText("rank:3 epoch:2");
    CHECK(window.plan.epoch() == 2);
    CHECK(window.text("findCountLabel") == "360 found");
    edit->setText("rank:9");
    CHECK(window.text("explanationLabel").contains("rank is 9; the plan has 0 to 3"));
    edit->setText("epoch:10");
    CHECK(window.text("explanationLabel").contains("look in epoch 0 to 9"));
    CHECK(window.plan.epoch() == 2);
    edit->setText("class:frog");
    CHECK(window.text("explanationLabel").contains("class:0 to class:9"));
    edit->setText("class:7");
    // All are dealt once and no seven stands among the repeated 515, 532, 1290.
    const DataSplit& data = *window.experiment.data();
    qint64 sevens = 0;
    for (std::int64_t sample = 0; sample < data.training->size(); ++sample) sevens += data.training->label(sample) == 7;
    CHECK(window.text("findCountLabel") == QString("%1 found").arg(sevens));
}
