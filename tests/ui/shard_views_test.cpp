// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QFile>
#include <QHeaderView>
#include <QPushButton>
#include <QRegularExpression>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>

#include "plans.h"
#include "shards/balance/balance_view.h"
#include "shards/cells/cell_origins.h"
#include "shards/compare/compare_view.h"
#include "shards/compare/diff_sentences.h"
#include "shards/compare/epoch_diff_view.h"
#include "shards/grid/grid_minimap.h"
#include "shards/grid/last_slots_panel.h"
#include "shards/history/sample_history_view.h"
#include "shards/map/map_view.h"
#include "shards_window.h"

using namespace ringside;

namespace {

using Window = ShardsWindow;

ShardScene epochsOf(const ShardSpec& spec, std::int64_t epochs) {
    ShardScene scene = sceneOf(spec);
    scene.epochs = epochs;
    return scene;
}

}  // namespace

// torch.randperm(10) seeded with 0 is 4 1 7 5 3 9 0 8 6 2 and with 1 it is 5 6 1 2 0 8 9 3 7 4.
TEST_CASE("a sample history lists the other samples of the batch") {
    const SampleHistory life = sampleHistory(epochsOf(tenOnFour(), 2), 4, std::atomic<bool>(false));
    REQUIRE(life.entries.size() == 2);
    REQUIRE(life.entries[0].uses.size() == 2);  // first, and repeated at the end
    CHECK(life.entries[0].uses[1].place.rank == 2);
    CHECK(life.entries[0].uses[0].batchMates == std::vector<std::uint32_t>{3});
    REQUIRE(life.entries[1].uses.size() == 1);
    CHECK(life.entries[1].uses[0].place.rank == 1);
    CHECK(life.entries[1].uses[0].place.slot == 2);
    CHECK(life.entries[1].uses[0].batchMates.empty());  // the last step has one sample per rank
    const Explanation said = explainSampleHistory(epochsOf(tenOnFour(), 2), life);
    CHECK(said.lines[0] == "The sample is trained 3 times, by 3 of 4 ranks, and left out in 0 epochs.");
    CHECK(said.lines[1].contains("2 / 4 = 0.5"));
}

TEST_CASE("a sample history reports dropped epochs and a missing set_epoch call") {
    ShardSpec cut = tenOnFour();
    cut.dropLast = true;
    const SampleHistory life = sampleHistory(epochsOf(cut, 2), 2, std::atomic<bool>(false));
    CHECK(life.entries[0].uses.empty());
    CHECK(life.entries[1].uses.size() == 1);
    ShardScene forgotten = epochsOf(tenOnFour(), 3);
    forgotten.setEpoch = false;
    const SampleHistory still = sampleHistory(forgotten, 4, std::atomic<bool>(false));
    CHECK(still.entries[2].uses[0].place.rank == 0);
    CHECK(explainSampleHistory(forgotten, still).warning);
}

// A data set that is so large that only a few epochs are computed at a time.
TEST_CASE("the history in a large data set is computed epoch by epoch with the same result") {
    ShardSpec large = tenOnFour();
    large.datasetSize = 3'000'000;
    const ShardScene scene = epochsOf(large, 5);
    SampleHistory life = emptySampleHistory(scene, 4);
    CHECK(life.entries.empty());
    CHECK(life.epochLimit == 5);
    life = extendHistory(scene, life, std::atomic<bool>(false));
    CHECK(life.entries.size() == 2);  // two epochs, because at most 8 million samples are computed at a time
    CHECK_FALSE(life.isWhole());
    CHECK(explainSampleHistory(scene, life).lines.last() == "2 of 5 epochs are computed.");
    while (!life.isWhole()) life = extendHistory(scene, life, std::atomic<bool>(false));
    REQUIRE(life.entries.size() == 5);
    for (const SampleHistoryEntry& entry : life.entries) {
        REQUIRE(entry.uses.size() == 1);
        CHECK(entry.uses[0].place.slot == planOf(scene.specAt(entry.epoch)).usesOf(4)[0].slot);
    }
}

TEST_CASE("the epoch diff is black where a sample kept rank and step, and otherwise shows its other rank") {
    const ShardScene now = sceneOf(tenOnFour());
    const CellOrigins same = cellOrigins(now, now.plan, sampleOwners(now.plan), std::atomic<bool>(false));
    CHECK(same.at(0, 0) == CellOrigins::kSame);
    CHECK(same.at(1, 2) == CellOrigins::kSame);
    CHECK(same.at(2, 2) == CellOrigins::kSame);  // sample 4 again, in the same slot
    ShardSpec next = tenOnFour();
    next.epoch = 1;
    const ShardPlan moved = planOf(next);
    const CellOrigins origins = cellOrigins(now, moved, sampleOwners(moved), std::atomic<bool>(false));
    CHECK(origins.at(0, 0) == CellOrigins::kFirstRank + 1);  // sample 4 is on rank 1 in epoch 1
    CHECK(origins.at(0, 1) == CellOrigins::kFirstRank + 3);  // sample 3
}

TEST_CASE("the epoch diff of identical epochs is black also if several ranks have the same samples") {
    ShardSpec mistake = tenOnFour();
    mistake.pitfalls.wrongRank = 0;
    const ShardScene now = sceneOf(mistake);
    const CellOrigins same = cellOrigins(now, now.plan, sampleOwners(now.plan), std::atomic<bool>(false));
    for (int rank = 0; rank < 4; ++rank)
        for (int slot = 0; slot < 3; ++slot) CHECK(same.at(rank, slot) == CellOrigins::kSame);
}

TEST_CASE("the epoch diff shows samples that either plan drops") {
    ShardSpec cut = tenOnFour();
    cut.dropLast = true;  // 6 and 2 are dropped
    const ShardScene padded = sceneOf(tenOnFour()), dropping = sceneOf(cut);
    const CellOrigins origins =
        cellOrigins(padded, dropping.plan, sampleOwners(dropping.plan), std::atomic<bool>(false));
    CHECK(origins.at(0, 2) == CellOrigins::kAbsent);  // 6
    CHECK(origins.at(1, 2) == CellOrigins::kAbsent);  // 2
    CHECK(origins.at(0, 0) == CellOrigins::kSame);
    const CellOrigins back = cellOrigins(dropping, padded.plan, sampleOwners(padded.plan), std::atomic<bool>(false));
    // Sample 6, which is outside of the grid: assigned to rank 0 there.
    CHECK(back.at(0, 2) == CellOrigins::kFirstRank + 0);
}

TEST_CASE("the names of the steps of many ranks are readable when all samples are trained") {
    Theme theme;
    theme.setMode(Theme::Mode::Light);
    ShardSpec spec = tenOnFour();
    spec.worldSize = 64;
    spec.datasetSize = 64 * 12;
    spec.batchSize = 4;
    const ShardScene scene = sceneOf(spec);
    GridMinimap minimap(theme);
    minimap.setScene(scene);
    minimap.setWindow(11, 1);  // the frame is at the right end
    minimap.resize(600, minimap.sizeHint().height());
    // Returns the number of pixels with nearly the colour of the names.
    const auto namePixels = [&] {
        const QImage image = minimap.grab().toImage();
        const QColor name = theme.colors().muted;
        int found = 0;
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < 100; ++x) {
                const QColor pixel = image.pixelColor(x, y);
                const int distance = std::abs(pixel.red() - name.red()) + std::abs(pixel.green() - name.green()) +
                                     std::abs(pixel.blue() - name.blue());
                found += distance < 60 ? 1 : 0;
            }
        }
        return found;
    };
    const int before = namePixels();
    REQUIRE(before > 0);
    RunProgress progress;
    progress.ranks.assign(64, RankProgress{.done = 12});
    minimap.setProgress(progress);
    CHECK(namePixels() == before);
}

TEST_CASE("the last slots are called free of duplicates only if no rank repeats samples of another rank") {
    Theme theme;
    LastSlotsPanel panel(theme);
    const auto subtitle = [&](const ShardSpec& spec) {
        panel.setScene(sceneOf(spec));
        return panel.subtitle(panel.fontMetrics(), 1000);
    };
    ShardSpec spec = tenOnFour();
    spec.datasetSize = 8;
    CHECK(subtitle(spec) == "no duplicates or dropped samples");
    spec.pitfalls.wrongRank = 0;
    CHECK(subtitle(spec).isEmpty());
    spec.pitfalls = {};
    spec.kind = SamplerKind::kSequential;
    CHECK(subtitle(spec) != "no duplicates or dropped samples");
}

TEST_CASE("identical epochs show a warning about set_epoch, or that shuffle is off") {
    ShardScene scene = sceneOf(tenOnFour());
    scene.epoch = 1;
    const PlanDiff same = diffPlans(scene.plan, scene.plan);
    CHECK(explainEpochDiff(scene, 0, same).warning);
    CHECK(explainEpochDiff(scene, 0, same).lines[1].contains("sampler.set_epoch(epoch)"));
    ShardSpec plain = tenOnFour();
    plain.shuffle = false;
    ShardScene unshuffled = sceneOf(plain);
    unshuffled.epoch = 1;
    CHECK(explainEpochDiff(unshuffled, 0, same).lines[1].contains("Shuffle is off"));
    CHECK(!explainEpochDiff(scene, 1, same).warning);
    // The smaller number is first, as in the picture.
    scene.epoch = 0;
    CHECK(explainEpochDiff(scene, 1, same).title == "Epochs 1 and 2 are identical");
    ShardSpec next = tenOnFour();
    next.epoch = 1;
    CHECK(explainEpochDiff(scene, 1, diffPlans(scene.plan, planOf(next))).title ==
          "What changes between epoch 1 and epoch 2?");
}

TEST_CASE("the map selects the sample under the pointer") {
    Window window;
    window.choose("mapViewButton");
    auto* map = window.page.findChild<MapView*>();
    QTest::mouseClick(map, Qt::LeftButton, {}, map->rectOf(320).center().toPoint());
    CHECK(window.plan.selectedSample() == 320);
    CHECK(window.text("explanationTitleLabel").contains("sample 320"));
}

TEST_CASE("the views share one selection and one epoch") {
    Window window;
    window.choose("historyViewButton");
    CHECK(window.text("explanationTitleLabel") == "Where is one sample trained in 10 epochs?");
    CHECK(window.text("explanationLabel")
              .contains("Click a sample in another view, or type #42 in the search box and press Enter."));
    window.plan.select(42);
    REQUIRE(window.shows("Where is sample 42 trained in 10 epochs?"));
    auto* canvas = window.page.findChild<SampleHistoryCanvas*>();
    QTest::mouseClick(canvas, Qt::LeftButton, {}, QPoint(40, SampleHistoryCanvas::kRowHeight * 3 + 8));
    CHECK(window.plan.epoch() == 3);
    CHECK(window.plan.selectedSample() == 42);
    window.choose("diffViewButton");
    REQUIRE(window.shows("What changes between epoch 3 and epoch 4?"));
    window.page.findChild<QSpinBox*>("otherEpochSpinBox")->setValue(4);
    REQUIRE(window.shows("Epoch 4 compared with itself"));
    window.choose("gridViewButton");
    CHECK(window.text("explanationTitleLabel").contains("sample 42 on rank"));
}

TEST_CASE("the epoch diff zooms like the grid") {
    Window window;
    window.choose("diffViewButton");
    auto* grid = window.page.findChild<GridWidget*>("diffGridWidget");
    CHECK(grid->geometryOfCells().visibleSlots() == CellRange{0, 360});
    QTest::keyClick(grid, Qt::Key_Home);
    CHECK(grid->geometryOfCells().detail() == CellDetail::Thumbnail);
    CHECK_FALSE(grid->grab().isNull());
    window.plan.setEpoch(1);
    CHECK(grid->geometryOfCells().detail() == CellDetail::Thumbnail);
    const QRectF rect = grid->geometryOfCells().cell(2, 0).translated(grid->cellsArea().topLeft());
    QTest::mouseClick(grid, Qt::LeftButton, {}, rect.center().toPoint());
    CHECK(window.plan.selectedPlace()->rank == 2);
}

TEST_CASE("a missing set_epoch call is visible in the epoch diff") {
    Window window;
    RunConfig config = window.experiment.config();
    config.sampler.setEpoch = false;
    window.experiment.edit(config, "sampler.set_epoch");
    window.plan.setEpoch(1);
    window.choose("diffViewButton");
    REQUIRE(window.shows("Epochs 1 and 2 are identical"));
    CHECK(window.text("explanationLabel").contains("set_epoch is not called"));
}

TEST_CASE("B starts with the other drop_last and is compared with A") {
    Window window;
    window.choose("compareViewButton");
    CAPTURE(window.text("explanationTitleLabel").toStdString(), window.text("explanationLabel").toStdString());
    // 1437 = 4 x 359 + 1: B drops one sample where A repeats three.
    REQUIRE(window.shows("B: 359 samples per rank, 12 steps, 0 samples repeated, 1 dropped."));
    CHECK(window.text("explanationLabel").contains("1,436 of 1,436 samples (100.0 %) stay on their rank"));
    CHECK(window.text("explanationLabel").contains("1 sample is used by A only."));
    window.page.findChild<QSpinBox*>("compareWorldSizeSpinBox")->setValue(8);
    REQUIRE(window.shows("B: 179 samples per rank"));
}

TEST_CASE("both sides of A/B support all samplers, and every difference is counted") {
    Window window;
    window.choose("compareViewButton");
    CHECK(window.text("compareCountLabel")
              .startsWith("4 of 1,440 cells differ"));  // three repeated samples, and one that B drops
    CHECK(window.text("compareSummaryLabel").startsWith("1 of 1,437 cells differ"));
    auto* b = window.page.findChild<QComboBox*>("compareSamplerComboBox");
    b->setCurrentIndex(b->findData("sequential"));
    Q_EMIT b->activated(b->currentIndex());
    REQUIRE(window.shows("437 samples per rank, "));
    auto* a = window.page.findChild<QComboBox*>("compareSamplerOfAComboBox");
    a->setCurrentIndex(a->findData("contiguous"));
    Q_EMIT a->activated(a->currentIndex());
    CHECK(window.experiment.config().sampler.kind == SamplerKind::kContiguous);
    window.choose("compareResetButton");
    CHECK(b->currentData().toString() == "contiguous");
}

TEST_CASE("a setting B that PyTorch refuses shows the reason") {
    Window window;
    window.choose("compareViewButton");
    window.page.findChild<QCheckBox*>("compareShuffleWithSamplerCheckBox")->setChecked(true);
    REQUIRE(window.shows("There is no plan for the settings of B"));
    CHECK(window.text("compareSummaryLabel").contains("shuffle"));
    window.page.findChild<QCheckBox*>("compareShuffleWithSamplerCheckBox")->setChecked(false);
    REQUIRE(window.shows("What does B change?"));
}

TEST_CASE("the trail goes back to a step and to the whole epoch") {
    Window window;
    GridWidget* grid = &window.grid();
    window.plan.select(532);  // rank 1, slot 0: torch.randperm(1437) seeded with 0 begins 515 532
    auto* sample = window.page.findChild<QPushButton*>("crumb3Button");
    REQUIRE(sample != nullptr);
    CHECK(sample->text() == "sample 532");
    window.choose("crumb2Button");
    CHECK(grid->geometryOfCells().visibleSlots() == CellRange{0, 32});
    window.choose("crumb0Button");
    CHECK(grid->geometryOfCells().visibleSlots() == CellRange{0, 360});
}

TEST_CASE("balance counts classes by rank and by step, and describes the selected rank") {
    Window window;
    window.choose("balanceViewButton");
    REQUIRE(window.shows("of 40 counts are outside"));
    window.plan.select(532);
    REQUIRE(window.shows("Rank 1 is within the range expected by chance: "));
    window.choose("balanceByStepButton");
    REQUIRE(window.shows("of 120 counts are outside"));  // 12 steps, 10 classes
    CHECK(window.page.findChild<BalanceCanvas*>()->tip({100, 40}).contains("Step 1, class"));
}

TEST_CASE("balance shows the classes that it counted while the classes of other data are still counted") {
    Window window;
    RunConfig config = window.experiment.config();
    config.dataset.classes = 12;
    window.experiment.edit(config, "dataset.classes");
    window.useSamples(60'000);
    window.choose("balanceViewButton");
    REQUIRE(window.shows("of 48 counts are outside"));  // 4 ranks, 12 classes
    window.plan.select(532);
    config = window.experiment.config();
    config.dataset.classes = 2;
    window.experiment.edit(config, "dataset.classes");
    window.useSamples(50'000);
    CHECK_FALSE(window.page.grab().isNull());
    REQUIRE(window.shows("of 8 counts are outside"));
}

TEST_CASE("arrow keys move the selection in map and epoch diff, and the epoch in the sample history") {
    Window window;
    window.choose("mapViewButton");
    auto* map = window.page.findChild<MapView*>();
    QTest::keyClick(map, Qt::Key_Right);
    CHECK(window.plan.selectedSample() == 0);
    QTest::keyClick(map, Qt::Key_Right);
    CHECK(window.plan.selectedSample() == 1);
    QTest::keyClick(map, Qt::Key_Left);
    CHECK(window.plan.selectedSample() == 0);
    window.plan.select(515);
    window.choose("diffViewButton");
    QTest::keyClick(window.page.findChild<GridWidget*>("diffGridWidget"), Qt::Key_Down);
    CHECK(window.plan.selectedSample() == 532);
    window.choose("historyViewButton");
    REQUIRE(window.shows("Where is sample 532 trained"));
    QTest::keyClick(window.page.findChild<SampleHistoryCanvas*>(), Qt::Key_Down);
    CHECK(window.plan.epoch() == 1);
}

TEST_CASE("every view draws in both themes") {
    Window window;
    window.plan.select(515);
    for (const Theme::Mode mode : {Theme::Mode::Light, Theme::Mode::Dark}) {
        window.theme.setMode(mode);
        for (const char* button :
             {"mapViewButton", "historyViewButton", "balanceViewButton", "diffViewButton", "compareViewButton"}) {
            window.choose(button);
            CHECK(window.shows("e"));
            CHECK(!window.page.grab().isNull());
        }
    }
}

TEST_CASE("a view's table follows it; its rows select samples; it can be saved") {
    Window window;
    window.page.findChild<QAction*>("showTableAction")->setChecked(true);
    auto* table = window.page.findChild<QTableView*>("shardsTableView");
    REQUIRE(table->isVisible());
    CHECK(table->model()->rowCount() == 1440);
    // torch.randperm(1437) seeded with 0 begins 515 532
    table->setCurrentIndex(table->model()->index(1, 0));
    CHECK(window.plan.selectedSample() == 532);
    table->horizontalHeader()->resizeSection(0, 150);
    window.plan.setEpoch(1);
    CHECK(table->columnWidth(0) == 150);  // the width that the user has set
    window.plan.setEpoch(0);
    window.choose("mapViewButton");
    CHECK(table->model()->rowCount() == 1437);
    CHECK(window.plan.selectedSample() == 532);
    window.choose("diffViewButton");
    REQUIRE(waitFor([&] { return table->model()->columnCount() == 8; }));

    const QTemporaryDir folder;
    auto* more = window.page.findChild<ViewExport*>();
    more->saveTable(window.page.findChild<GridView*>()->table(), folder.filePath("grid.csv"));
    REQUIRE(window.shows("Saved"));
    QFile csv(folder.filePath("grid.csv"));
    REQUIRE(csv.open(QIODevice::ReadOnly));
    CHECK(csv.readAll().count('\n') == 1441);
    window.page.findChild<QAction*>("showTableAction")->setChecked(false);
    for (const char* name : {"diff.png", "diff.svg"}) {
        more->savePicture(folder.filePath(name));
        REQUIRE(window.shows((QStringLiteral("Saved ") + folder.filePath(name)).toUtf8()));
        CHECK(QFile(folder.filePath(name)).size() > 500);
    }
    const QImage png(folder.filePath("diff.png"));
    CHECK(png.pixelColor(1, 1) == window.theme.colors().panel);  // the background of the view
    QFile svg(folder.filePath("diff.svg"));
    REQUIRE(svg.open(QIODevice::ReadOnly));
    const QString drawn = QString::fromUtf8(svg.readAll());
    static const QRegularExpression kPicture("data:image/png;base64,([^\"]+)");
    int strips = 0;  // number of strips of single ranks, without the strip of all ranks
    for (auto found = kPicture.globalMatch(drawn); found.hasNext();) {
        const QByteArray packed = QByteArray::fromBase64(found.next().captured(1).toLatin1());
        strips += QImage::fromData(packed, "PNG").height() == 1 ? 1 : 0;
    }
    CHECK(strips == 4);
    // The legend, a rich text, has the font size of a note.
    const QString legend = drawn.left(drawn.indexOf("same rank and step in both"));
    CHECK(legend.mid(legend.lastIndexOf("<text")).contains("font-size=\"11\""));
    more->savePicture("/nowhere/at/all.png");
    CHECK(window.shows("cannot be written"));
}
