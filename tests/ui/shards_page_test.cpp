// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/page/shards_page.h"

#include <QCheckBox>
#include <QFrame>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QTextDocument>

#include "plans.h"
#include "shards/page/alarm_banner.h"
#include "shards/summary/epoch_summary_panel.h"
#include "shards_window.h"
#include "telemetry/events/codec.h"

using namespace ringside;

namespace {

struct PageWindow : ShardsWindow {
    QPoint middleOf(GridCell cell) {
        const QRectF rect = grid().geometryOfCells().cell(cell.rank, cell.slot);
        return rect.translated(grid().cellsArea().topLeft()).center().toPoint();
    }
};

}  // namespace

TEST_CASE("clicking a cell selects and explains its sample; clicking again clears the selection") {
    PageWindow window;
    CHECK(window.text("explanationTitleLabel") == "Which rank gets which sample?");
    QTest::mouseClick(&window.grid(), Qt::LeftButton, {}, window.middleOf({1, 0}));
    // torch.randperm(1437) seeded with 0 begins 515 532
    CHECK(window.plan.selectedSample() == 532);
    CHECK(window.text("explanationTitleLabel") == "Why is sample 532 on rank 1?");
    QTest::mouseClick(&window.grid(), Qt::LeftButton, {}, window.middleOf({1, 0}));
    CHECK(!window.plan.selectedSample());
}

TEST_CASE("a banner about a missing set_epoch call stays until it is called, and opens the epoch diff") {
    PageWindow window;
    auto* banner = window.page.findChild<QFrame*>("orderBanner");
    CHECK(banner->isHidden());
    RunConfig config = window.experiment.config();
    config.sampler.setEpoch = false;
    window.experiment.edit(config, "sampler.set_epoch");
    REQUIRE(waitFor([&] { return !banner->isHidden(); }));
    CHECK(window.text("orderBannerLabel").startsWith("set_epoch is never called: all 10 epochs have the same order"));
    config.training.epochs = 2;
    window.experiment.edit(config, "training.epochs");
    CHECK(waitFor([&] {
        return window.text("orderBannerLabel").startsWith("set_epoch is never called: both epochs have the same order");
    }));
    window.page.findChild<QPushButton*>("orderBannerButton")->click();
    CHECK(window.page.findChild<QPushButton*>("diffViewButton")->isChecked());
    config.sampler.setEpoch = true;
    window.experiment.edit(config, "sampler.set_epoch");
    REQUIRE(waitFor([&] { return banner->isHidden(); }));
}

TEST_CASE("dragging pans the grid and selects nothing") {
    PageWindow window;
    GridWidget& grid = window.grid();
    const QPoint from = window.middleOf({1, 4});
    QTest::mousePress(&grid, Qt::LeftButton, {}, from);
    QTest::mouseMove(&grid, from - QPoint(40, 0));
    QTest::mouseMove(&grid, from - QPoint(140, 0));
    QTest::mouseRelease(&grid, Qt::LeftButton, {}, from - QPoint(140, 0));
    CHECK(grid.geometryOfCells().firstSlot() > 1);
    CHECK(!window.plan.selectedSample());
}

TEST_CASE("the keys zoom, fit, and go to either end") {
    PageWindow window;
    GridWidget& grid = window.grid();
    QTest::keyClick(&grid, Qt::Key_F);
    CHECK(grid.geometryOfCells().visibleSlots() == CellRange{0, 360});
    const double fitted = grid.geometryOfCells().pitch();
    QTest::keyClick(&grid, Qt::Key_W);
    CHECK(grid.geometryOfCells().pitch() > fitted);
    QTest::keyClick(&grid, Qt::Key_S);
    CHECK(grid.geometryOfCells().pitch() == Approx(fitted));
    QTest::keyClick(&grid, Qt::Key_Home);
    CHECK(grid.geometryOfCells().detail() == CellDetail::Thumbnail);
    QTest::keyClick(&grid, Qt::Key_End);
    CHECK(grid.geometryOfCells().visibleSlots().last == 360);
}

TEST_CASE("the page draws at every zoom, colour and theme without a warning") {
    PageWindow window;
    for (const Theme::Mode mode : {Theme::Mode::Light, Theme::Mode::Dark}) {
        window.theme.setMode(mode);
        for (const char* button :
             {"colorByRankButton", "colorByClassButton", "colorByBatchButton", "colorBySourceButton"}) {
            window.page.findChild<QPushButton*>(QLatin1String(button))->click();
            window.grid().showStart();
            for (int zoom = 0; zoom < 24; ++zoom) {
                CHECK(!window.page.grab().isNull());
                QTest::keyClick(&window.grid(), Qt::Key_S);
            }
        }
    }
}

TEST_CASE("an experiment that cannot be planned shows its problem; an empty shard is explained") {
    PageWindow window;
    RunConfig config = window.experiment.config();
    config.parallel.worldSize = 0;
    window.experiment.edit(config, "parallel.world_size");
    CHECK(window.text("shardsEmptyTitleLabel") == "This experiment has no shard plan");
    CHECK(window.page.findChild<QLabel*>("shardsEmptyLabel")->isVisible());

    config.parallel.worldSize = 2000;
    config.sampler.dropLast = true;
    window.experiment.edit(config, "parallel.world_size");
    CHECK(window.text("shardsEmptyTitleLabel") == "No rank gets any sample");

    config.sampler.dropLast = false;
    window.experiment.edit(config, "sampler.drop_last");
    CHECK(!window.page.findChild<QLabel*>("shardsEmptyLabel")->isVisible());
}

TEST_CASE("on a narrow page the summary is a drawer, and on a low one the explanation is lower") {
    PageWindow window;
    auto* side = window.page.findChild<EpochSummarySide*>();
    auto* button = window.page.findChild<QPushButton*>("epochSummaryButton");
    auto* box = window.page.findChild<QFrame*>("explanationBox");
    const int high = box->height();
    CHECK(side->isVisible());
    CHECK_FALSE(button->isVisible());
    window.page.resize(690, 420);
    CHECK_FALSE(side->isVisible());
    CHECK(box->height() < high);
    // The text ends with a complete line. The part that does not fit is in the tooltip.
    auto* text = window.page.findChild<QLabel*>("explanationLabel");
    for (const int width : {690, 560}) {
        window.page.resize(width, 420);
        QTextDocument shown;
        shown.setDocumentMargin(0);
        shown.setDefaultFont(text->font());
        shown.setHtml(text->text());
        shown.setTextWidth(text->width());
        INFO(width);
        CHECK(shown.size().height() <= text->height() + 1);
        CHECK(box->toolTip().contains("seed + epoch"));
    }
    window.page.resize(690, 420);
    for (const char* name : {"gridViewButton", "historyViewButton", "mistakesViewButton"}) {
        const auto* choice = window.page.findChild<QPushButton*>(QLatin1String(name));
        CHECK(choice->width() >= choice->sizeHint().width());
    }
    button->click();
    CHECK(side->isVisible());
    CHECK(side->geometry().top() > button->mapTo(&window.page, QPoint(0, 0)).y());
    window.page.resize(1100, 680);
    CHECK(side->isVisible());
    CHECK_FALSE(button->isVisible());
    CHECK(box->height() == high);
    CHECK(waitFor([&] { return side->geometry().top() == 0 && side->height() == window.page.height(); }));
}

TEST_CASE("a newly chosen view shows the selected sample") {
    PageWindow window;
    window.choose("historyViewButton");
    window.plan.select(164);  // position 1435 of torch.randperm(1437) seeded with 0: rank 3, slot 358
    window.choose("gridViewButton");
    CHECK(waitFor([&] { return window.grid().geometryOfCells().visibleSlots().last >= 359; }));
}

TEST_CASE("the selected sample that an epoch drops is shown dropped") {
    PageWindow window;
    RunConfig config = window.experiment.config();
    config.sampler.dropLast = true;
    window.experiment.edit(config, "sampler.drop_last");
    // With seed 2 position 1436, the only one dropped, holds sample 320.
    window.plan.setEpoch(2);
    window.plan.select(320);
    CHECK(window.text("explanationTitleLabel") == "Why does no rank get sample 320?");
}

TEST_CASE("Enter in the find box cycles through the matches; Escape clears it") {
    PageWindow window;
    auto* edit = window.page.findChild<QLineEdit*>("findEdit");
    QTest::keyClicks(edit, "dup");
    CHECK(window.text("findCountLabel") == "3 found");
    QTest::keyClick(edit, Qt::Key_Return);
    // torch.randperm(1437) seeded with 0 begins 515 532 1290: these are repeated on ranks 1, 2 and 3.
    CHECK(window.plan.selectedSample() == 515);
    CHECK(window.plan.selectedPlace()->rank == 1);
    CHECK(window.grid().geometryOfCells().visibleSlots().last == 360);
    QTest::keyClick(edit, Qt::Key_Return, Qt::ShiftModifier);
    CHECK(window.plan.selectedSample() == 1290);
    CHECK(window.text("findCountLabel") == "3 of 3");
    QTest::keyClick(edit, Qt::Key_Escape);
    CHECK(edit->text().isEmpty());
    CHECK(window.text("findCountLabel").isEmpty());
}

TEST_CASE("Enter before the end of a search goes to the first match when it is found") {
    PageWindow window;
    window.useSamples(50'000);
    auto* edit = window.page.findChild<QLineEdit*>("findEdit");
    QTest::keyClicks(edit, "rank:2 epoch:2");
    QTest::keyClick(edit, Qt::Key_Return);
    REQUIRE(waitFor([&] { return window.plan.selectedSample().has_value(); }));
    // torch.randperm(50000) seeded with 1 begins 45845 11799 43880
    CHECK(window.plan.epoch() == 1);
    CHECK(window.plan.selectedSample() == 43880);
    CHECK(window.text("findCountLabel") == "1 of 12,500");
}

TEST_CASE("a search with an epoch selects it; an impossible one is explained") {
    PageWindow window;
    auto* edit = window.page.findChild<QLineEdit*>("findEdit");
    edit->setText("rank:3 epoch:3");
    CHECK(window.plan.epoch() == 2);
    CHECK(window.text("findCountLabel") == "360 found");
    edit->setText("rank:9");
    CHECK(window.text("explanationLabel").contains("rank is 9, but the plan has only ranks 0 to 3"));
    edit->setText(GENERATE("epoch:11", "epoch:0"));
    CHECK(window.text("explanationLabel").contains("search in epochs 1 to 10"));
    CHECK(window.plan.epoch() == 2);
    edit->setText("class:frog");
    CHECK(window.text("explanationLabel").contains("class:0 to class:9"));
    edit->setText("class:7");
    // Each sample is assigned once, and none of the repeated samples 515, 532 and 1290 is a seven.
    const DataSplit& data = *window.experiment.data();
    qint64 sevens = 0;
    for (std::int64_t sample = 0; sample < data.training->size(); ++sample) sevens += data.training->label(sample) == 7;
    CHECK(window.text("findCountLabel") == QString("%1 found").arg(sevens));
}

namespace {

// Starts a run of the window's experiment by feeding its telemetry.
void startRun(PageWindow& window, qint64 epochs = 10) {
    RunStarted started;
    started.worldSize = 4;
    started.trainingSamples = 1437;
    started.stepsPerEpoch = 12;
    started.epochs = epochs;
    started.batchSize = 32;
    started.config = window.experiment.config().toText();
    window.run.feed(QByteArray::fromStdString(encode(started)));
}

void feed(PageWindow& window, const Event& event) {
    window.run.feed(QByteArray::fromStdString(encode(event)));
}

}  // namespace

TEST_CASE("in slow motion the grid keeps the current batch visible") {
    PageWindow window;
    startRun(window);
    const auto inSight = [&](qint64 slot) {
        const CellRange seen = window.grid().geometryOfCells().visibleSlots();
        return slot >= seen.first && slot < seen.last;
    };
    const auto train = [&](std::int64_t step) {
        for (int rank = 0; rank < 4; ++rank) {
            StepsFrame frame;
            frame.rank = rank;
            frame.step = {step};
            frame.loss = {1};
            frame.samples = {32};
            frame.endUs = {step * 1000};
            feed(window, frame);
        }
    };
    train(5);
    REQUIRE(waitFor([&] { return window.run.data().ranks()[3].step == 5; }));
    REQUIRE_FALSE(inSight(5 * 32));  // at full speed, the view does not follow the run
    feed(window, Controlled{.command = ControlKind::kRate, .value = 1, .step = 5});
    train(6);
    CHECK(waitFor([&] { return inSight(6 * 32); }));
    train(7);
    CHECK(waitFor([&] { return inSight(7 * 32); }));
}

TEST_CASE("a wrong sample turns the page red with a message, and a button shows it") {
    PageWindow window;
    auto* banner = window.page.findChild<QFrame*>("alarmBanner");
    CHECK_FALSE(banner->isVisible());
    startRun(window);
    // torch.randperm(1437) seeded with 2 begins 408 712 608: rank 2's slot 0 in epoch 2 is 608.
    feed(window, ConsumedIndices{2, 2, 25, 0, {17}});
    REQUIRE(waitFor([&] { return banner->isVisible(); }));
    CHECK(window.text("alarmLabel") == "rank 2, epoch 3, step 1, slot 0: planned 608, trained 17");
    CHECK(window.page.property("alarm").toBool());
    CHECK(window.page.findChild<QLabel*>("verificationLabel")->property("tone") == "danger");
    CHECK_FALSE(window.page.findChild<QPushButton*>("alarmReportButton")->isVisible());
    // The epoch has 12 steps: step 1 of the third epoch is step 25 of the run.
    const auto* alarm = dynamic_cast<AlarmBanner*>(banner);
    REQUIRE(alarm != nullptr);
    CHECK(alarm->identitiesAt({}) ==
          std::vector<Identity>{
              {IdentityKind::Sample, 17}, {IdentityKind::Rank, 2}, {IdentityKind::Step, 25}, {IdentityKind::Epoch, 2}});
    CHECK(alarm->copyText() ==
          "The ranks did not train on the planned samples\nrank 2, epoch 3, step 1, slot 0: planned 608, trained 17\n");
    window.page.findChild<QPushButton*>("mapViewButton")->click();
    window.page.findChild<QPushButton*>("alarmShowButton")->click();
    CHECK(window.plan.epoch() == 2);
    CHECK(window.grid().isVisible());
    CHECK(window.plan.selectedSample() == 608);
    CHECK(window.plan.selectedPlace()->rank == 2);
    CHECK(window.text("explanationLabel").contains("rank 2 trained on sample 17 in this slot"));
    CHECK_FALSE(window.page.grab().isNull());
    window.run.reset();
    CHECK_FALSE(banner->isVisible());
    CHECK_FALSE(window.page.property("alarm").toBool());
}

TEST_CASE("if only the hash is known, the banner offers to report samples in the next run") {
    PageWindow window;
    startRun(window);
    for (int rank = 0; rank < 4; ++rank) feed(window, Consumed{rank, 0, 360, "0000"});
    auto* report = window.page.findChild<QPushButton*>("alarmReportButton");
    REQUIRE(waitFor([&] { return report->isVisible(); }));
    CHECK(window.text("alarmLabel").startsWith("rank 0, epoch 1: the trained samples differ from the planned samples"));
    CHECK(window.text("alarmLabel").endsWith("(and 3 more)"));
    const QSignalSpy wanted(&window.page, &ShardsPage::reportSamplesWanted);
    report->click();
    CHECK(wanted.count() == 1);
    CHECK_FALSE(report->isVisible());
    CHECK(window.text("alarmHintLabel").contains("click Run"));
}

TEST_CASE("the page follows the epochs of a live run until the user selects another") {
    PageWindow window;
    startRun(window);
    auto* follow = window.page.findChild<QCheckBox*>("followRunCheck");
    const auto reach = [&](std::int64_t step) {
        for (int rank = 0; rank < 4; ++rank) {
            StepsFrame frame;
            frame.rank = rank;
            frame.epoch = (step - 1) / 12;
            frame.step = {step};
            frame.loss = {1};
            frame.samples = {32};
            frame.endUs = {step * 1000};
            feed(window, frame);
        }
    };
    reach(40);  // step 4 of epoch 3
    REQUIRE(waitFor([&] { return window.plan.epoch() == 3; }));
    CHECK(follow->isVisible());
    CHECK(window.text("runProgressLabel") ==
          "Epoch 4: 128 of 360 samples per rank used, according to the step count; the hash is compared at "
          "the end of the epoch.");
    window.plan.setEpoch(1);
    CHECK_FALSE(follow->isChecked());
    reach(70);
    REQUIRE(waitFor([&] { return window.run.data().ranks()[3].step == 70; }));
    CHECK(window.plan.epoch() == 1);
    follow->click();
    CHECK(waitFor([&] { return window.plan.epoch() == 5; }));
    reach(80);
    REQUIRE(waitFor([&] { return window.run.data().ranks()[3].step == 80; }));
    RunEnded end;
    end.state = RunOutcome::kStopped;
    feed(window, end);
    CHECK(waitFor([&] { return window.plan.epoch() == 6; }));
}

TEST_CASE("the green mark disappears when the form changes, and never appears without set_epoch") {
    const bool setEpoch = GENERATE(true, false);
    PageWindow window;
    RunConfig config = window.experiment.config();
    config.sampler.setEpoch = setEpoch;
    window.experiment.edit(config, "sampler.set_epoch");
    REQUIRE(waitFor([&] { return window.experiment.data() && window.plan.plan(); }));
    startRun(window);
    const auto& plan = *window.plan.plan();
    for (int rank = 0; rank < 4; ++rank) feed(window, Consumed{rank, 0, 360, plan.hash(rank)});
    auto* label = window.page.findChild<QLabel*>("verificationLabel");
    REQUIRE(waitFor([&] { return label->property("tone") == (setEpoch ? "good" : "warning"); }));
    CHECK(label->text().startsWith("verified") == setEpoch);
    config.sampler.seed = 7;
    window.experiment.edit(config, "sampler.seed");
    CHECK(waitFor([&] { return label->property("tone").toString().isEmpty(); }));
    CHECK(label->text().startsWith("Result for the run, which has another plan: "));
    config.sampler.seed = 0;  // the plan in the window equals that of the run again
    window.experiment.edit(config, "sampler.seed");
    CHECK(waitFor([&] { return label->property("tone") == (setEpoch ? "good" : "warning"); }));
}

TEST_CASE("a plan that the run does not use shows no progress") {
    PageWindow window;
    startRun(window);
    REQUIRE(waitFor([&] { return window.text("runProgressLabel").startsWith("Epoch 1: not started"); }));
    RunConfig config = window.experiment.config();
    config.sampler.seed = 7;
    window.experiment.edit(config, "sampler.seed");
    CHECK(window.text("runProgressLabel") == "This plan is that of the form. The run used another plan.");
    window.page.findChild<QPushButton*>("gridViewButton")->click();
    CHECK_FALSE(window.page.grab().isNull());
}

TEST_CASE("a mistake is switched on and off with one click, and its effect is shown") {
    PageWindow window;
    window.page.findChild<QPushButton*>("mistakesViewButton")->click();
    REQUIRE(waitFor([&] { return window.text("explanationTitleLabel") == "No problems: the assignment is correct"; }));
    // ceil(1437 / 4) = 360 each: 3 repeated, each shared by two of the 6 pairs.
    CHECK(window.text("explanationLabel").contains("ranks train on 1,437 of 1,437 samples (100 %)"));
    auto* forget = window.page.findChild<QCheckBox*>("forgetSetEpochCheck");
    window.plan.setEpoch(3);
    forget->click();
    CHECK_FALSE(window.experiment.config().sampler.setEpoch);
    REQUIRE(waitFor([&] { return window.text("explanationTitleLabel") == "Epoch 4 is identical to epoch 1"; }));
    forget->click();
    auto* byHand = window.page.findChild<QCheckBox*>("rankByHandCheck");
    byHand->click();
    REQUIRE(waitFor([&] { return window.text("explanationTitleLabel").startsWith("A deliberate mistake"); }));
    CHECK(window.text("explanationLabel").contains("ranks train on 360 of 1,437 samples"));
    byHand->click();
    CHECK_FALSE(window.experiment.config().pitfalls.any());
}

TEST_CASE("shuffle together with a sampler is refused with PyTorch's message and an undo button") {
    PageWindow window;
    window.page.findChild<QPushButton*>("mistakesViewButton")->click();
    window.page.findChild<QCheckBox*>("shuffleTooCheck")->click();
    CHECK(window.text("shardsEmptyTitleLabel") == "PyTorch refuses shuffle=True together with a sampler");
    CHECK(window.text("shardsEmptyLabel").contains("sampler option is mutually exclusive with shuffle"));
    window.page.findChild<QPushButton*>("shardsEmptyButton")->click();
    CHECK(window.page.findChild<QCheckBox*>("shuffleTooCheck")->isVisible());
    CHECK_FALSE(window.experiment.config().pitfalls.any());
}

TEST_CASE("the distinct samples of a large epoch are counted on a worker thread") {
    // Every rank takes the same order of 50,000, whose last 50,000 mod 32 = 16 the loader leaves out.
    const ShardSpec spec{
        .datasetSize = 50'000, .worldSize = 4, .batchSize = 32, .loaderDropLast = true, .kind = SamplerKind::kRandom};
    UniqueCount count;
    count.requestLatest(ShardPlan::make(spec).value());
    CHECK_FALSE(count.result());
    REQUIRE(waitFor([&] { return count.result().has_value(); }));
    CHECK(*count.result() == 49'984);
}

TEST_CASE("matches are discarded with their plan, even if the next search takes long") {
    const auto sceneOfSize = [](std::int64_t samples) {
        return sceneOf({.datasetSize = samples, .worldSize = 1, .batchSize = 32});
    };
    PlanFinder finder;
    finder.setScene(sceneOfSize(90'000), RunConfig());
    finder.setText("rank:0");
    REQUIRE(waitFor([&] { return finder.hits().size() == 90'000; }));
    finder.setScene(sceneOfSize(60'000), RunConfig());
    CHECK(finder.hits().empty());
    REQUIRE(waitFor([&] { return finder.hits().size() == 60'000; }));
}

TEST_CASE("the summary shows no empty rows before there is a plan") {
    Theme theme;
    EpochSummaryPanel epochSummary(theme);
    epochSummary.show();
    const auto shown = [&](const char* role) {
        const auto frames = epochSummary.findChildren<QFrame*>();
        return std::ranges::count_if(
            frames, [&](const QFrame* frame) { return frame->property("role") == role && frame->isVisible(); });
    };
    CHECK(shown("epochSummaryRow") == 0);
    CHECK(shown("line") == 0);
    epochSummary.setRows({{"Samples", "10", Tone::Normal, {}}, {"World size", "4", Tone::Normal, {}}});
    CHECK(shown("epochSummaryRow") == 2);
    CHECK(shown("line") == 1);
}

TEST_CASE("while the first plan of a large data set is computed, the page shows that") {
    Theme theme;
    ExperimentModel experiment;
    RunConfig config;
    config.dataset.kind = DatasetKind::kSynthetic;
    config.dataset.shape = SyntheticShape::kBlobs;
    config.dataset.size = 50'000;
    config.dataset.validationFraction = 0.1;
    experiment.replace(config, {});
    PlanModel plan(experiment);
    RunModel run;
    ShardsPage page(experiment, plan, run, theme);
    const auto* title = page.findChild<QLabel*>("shardsEmptyTitleLabel");
    CHECK(title->text() == "Loading the data set");
    QString whenLoaded;
    QObject::connect(&experiment, &ExperimentModel::dataChanged, &page, [&] { whenLoaded = title->text(); });
    REQUIRE(waitFor([&] { return plan.plan() != nullptr; }));
    CHECK(whenLoaded == "Assigning 45,000 samples");
}

TEST_CASE("a step chosen on another page is framed on all ranks in its epoch") {
    ShardsWindow shards;
    RunStarted started;
    started.worldSize = 4;
    started.trainingSamples = 1437;
    started.stepsPerEpoch = 12;
    started.epochs = 10;
    started.batchSize = 32;
    started.config = shards.experiment.resolvedConfig().toText();
    shards.run.feed(QByteArray::fromStdString(encode(started)));
    shards.page.showStep(14, 1, 0);  // the second step of the second epoch
    REQUIRE(waitFor([&] { return shards.grid().step() == CellRange{32, 64}; }));
    CHECK(shards.plan.epoch() == 1);
    // The last step of the first epoch: 360 samples are 11 batches of 32 and one of 8.
    shards.page.showStep(12, 0, 0);
    REQUIRE(waitFor([&] { return shards.grid().step() == CellRange{352, 360}; }));
    const auto selects = [&](std::int64_t slot) {
        return waitFor([&] { return shards.plan.selectedPlace() && shards.plan.selectedPlace()->slot == slot; });
    };
    CHECK(selects(352));
    shards.page.showStep(2, 0, 0);  // another step of the same epoch
    CHECK(selects(32));
    CHECK(shards.plan.selectedPlace()->rank == 0);
    shards.page.showStep(2, 0, 3);
    CHECK(waitFor([&] { return shards.plan.selectedPlace() && shards.plan.selectedPlace()->rank == 3; }));
    shards.page.showStep(12, 0, 0);
    shards.plan.setEpoch(1);  // another epoch than that of the step
    CHECK(waitFor([&] { return !shards.grid().step(); }));
    shards.plan.setEpoch(0);
    CHECK(waitFor([&] { return shards.grid().step() == CellRange{352, 360}; }));
    shards.page.showStep({}, 0, {});
    CHECK(!shards.grid().step());
    QStringList sentences;
    QObject::connect(&shards.page, &Page::failed, [&](const QString& sentence) { sentences.append(sentence); });
    RunConfig other = shards.experiment.config();
    other.sampler.seed = 7;
    shards.experiment.edit(other, "sampler.seed");
    REQUIRE(waitFor([&] {  // the page compares the plans after the plan of the form is made
        shards.page.showStep(2, 0, 0);
        return !sentences.isEmpty();
    }));
    CHECK(sentences[0].startsWith("The form differs from the run on screen"));
    CHECK(shards.shows("This plan is that of the form. The run used another plan."));
}

TEST_CASE("a long name in the summary wraps, and leaves the values in sight") {
    Theme theme;
    EpochSummaryPanel panel(theme);
    panel.resize(280, 500);
    panel.setRows({{"Samples", "1,437", Tone::Normal, {}},
                   {"Per rank = ceil(n / 8), with the hard-coded size", "180", Tone::Normal, {}},
                   {"Unique seen", "720 (50.1 %)", Tone::Normal, {}}});
    panel.show();
    CHECK(panel.minimumSizeHint().width() <= 280);
    const QLabel* wrapped = nullptr;
    for (const QLabel* label : panel.findChildren<QLabel*>())
        if (label->text().startsWith("Per rank")) wrapped = label;
    REQUIRE(wrapped != nullptr);
    CHECK(waitFor([&] { return wrapped->height() >= 2 * wrapped->fontMetrics().height(); }));
    CHECK(wrapped->mapTo(&panel, wrapped->rect().bottomRight()).x() < 280);
}
