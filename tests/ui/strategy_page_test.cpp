// SPDX-License-Identifier: GPL-3.0-or-later
#include "strategy/page/strategy_page.h"

#include <QFile>
#include <QMenu>
#include <QTemporaryDir>

#include "config/mesh.h"
#include "models/experiment_model.h"
#include "models/run_model.h"
#include "strategy/page/picture_table_panel.h"
#include "strategy/pictures/memory_curve_canvas.h"
#include "strategy/pictures/schedule_canvas.h"
#include "strategy/pictures/schedule_motion.h"
#include "strategy/scene/strategy_sentences.h"
#include "support/catch.h"
#include "support/choices.h"
#include "tables/table_cells.h"
#include "telemetry.h"
#include "theme/theme.h"
#include "ui/painted_texts.h"
#include "wait_for.h"

using namespace ringside;

namespace {

struct Strategies {
    Theme theme;
    ExperimentModel experiment;
    RunModel run;
    StrategyPage page;

    explicit Strategies(std::int64_t ranks = 4, const std::string& strategy = "pipeline",
                        const QString& program = QStringLiteral("/nonexistent/ringsidectl"))
        : page(experiment, run, theme, program) {
        RunConfig config;
        config.model.hidden = {16, 16, 16, 16, 16, 16, 16};
        config.parallel.worldSize = ranks;
        choose(config.parallel.strategy, strategy);
        config.pipeline.microBatches = 8;
        experiment.replace(config, {});
        page.resize(1100, 640);
        page.show();
        REQUIRE(waitFor([&] { return experiment.data() && page.isSettled() && page.scene().cost; }));
    }
    ChoicesTable& table() { return *page.findChild<ChoicesTable*>(); }
    // Returns the cell of the table in a row and in the column with this heading.
    QTableWidgetItem* cell(int row, const char* heading) {
        for (int column = 0; column < table().columnCount(); ++column)
            if (table().horizontalHeaderItem(column)->text() == QLatin1String(heading))
                return table().item(row, column);
        return nullptr;
    }
    QLabel& label(const char* name) { return *page.findChild<QLabel*>(QLatin1String(name)); }
    void settle() {
        REQUIRE(waitFor([&] { return page.isSettled(); }));
    }
    RunConfig changed(const std::function<void(RunConfig&)>& change) {
        RunConfig next = experiment.config();
        change(next);
        experiment.edit(next, QStringLiteral("parallel.strategy"));
        settle();
        return next;
    }
};

// Run of the page's experiment, in slow motion.
struct SlowRun {
    Strategies& page;

    explicit SlowRun(Strategies& strategies) : page(strategies) {
        RunStarted started;
        started.config = page.experiment.config().toText();
        started.worldSize = static_cast<int>(page.experiment.config().parallel.worldSize);
        feed(started);
        feed(Controlled{.command = ControlKind::kRate, .value = 1});
    }
    void feed(const Event& event) const { page.run.feed(QByteArray::fromStdString(encode(event))); }
    void at(int rank, Phase phase, int layer, const std::string& action = {}) const {
        feed(PhaseReached{rank, 7, phase, 5, layer, action});
    }
    const StrategyScene& scene() const { return page.page.scene(); }
};

bool hasText(QWidget& widget, const char* text) {
    const QList<PaintedText> texts = paintedTexts(widget);
    return std::ranges::find(texts, QLatin1String(text), &PaintedText::text) != texts.end();
}

QStringList linesOf(const QString& file) {
    QFile read(file);
    REQUIRE(read.open(QIODevice::ReadOnly));
    return QString::fromUtf8(read.readAll()).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
}

}  // namespace

TEST_CASE("the page explains why it shows no strategy of a watched script") {
    Strategies f;
    RunConfig watched;
    watched.dataset.kind = DatasetKind::kExternal;
    watched.dataset.size = 100;
    f.experiment.replace(watched, {});
    REQUIRE(waitFor([&] { return f.label("strategyEmptyLabel").isVisible(); }));
    f.settle();
    CHECK(f.label("strategyEmptyLabel").text() ==
          "No strategy to show: a watched script trains by its own code. This page compares the strategies of an "
          "experiment that Ringside trains.");
}

TEST_CASE("the sentence counts the schedule's idle slots with the user's own numbers") {
    Strategies f;
    CHECK(scheduleSentence(f.page.scene()) == "4 stages and 8 micro-batches: 3 of 11 slots are idle, 27.3 %");
    CHECK(strategyTitle(f.page.scene()) == "pipeline of 4 stages, 8 micro-batches, 1F1B");
    CHECK(inFlightSentence(f.page.scene()) == "in flight: 4, 3, 2, 1");
    CHECK(placementSentence(f.page.scene()) == "From left: P parameters, G gradients, O optimizer state");
    f.changed([](RunConfig& config) { config.parallel.strategy = StrategyKind::kModelParallel; });
    CHECK(scheduleSentence(f.page.scene()) == "One batch at a time: 3 of 4 ranks are idle, 75.0 %");
}

TEST_CASE("the measured idle share stands beside the expected one of the same stages") {
    Strategies f;
    StrategyScene scene = f.page.scene();
    scene.ran =
        StrategyMeasurements{.memory = {}, .idleShare = 0.3, .step = 0, .passes = {}, .range = {}, .bytesPerStep = {}};
    // 4 of 11 seconds of the passes are idle. The time of collectives is not part of the passes.
    scene.cost->time = StepTime{.arithmetic = 6, .idle = 4, .crowded = 1, .links = 5};
    CHECK(
        scheduleSentence(scene) ==
        "4 stages and 8 micro-batches: 3 of 11 slots are idle, 27.3 %; these stages: expected 36.4 %, measured 30.0 %");
    scene.cost->time = {};
    CHECK(scheduleSentence(scene) == "4 stages and 8 micro-batches: 3 of 11 slots are idle, 27.3 %; measured 30.0 %");
}

TEST_CASE("a click on a strategy uses it in the form, and undo restores the form") {
    Strategies f;
    REQUIRE(f.table().rowCount() == 12);
    CHECK(f.table().item(4, 0)->text() == "FSDP, parameters (ZeRO-3)");
    Q_EMIT f.table().cellClicked(4, 0);
    f.settle();
    CHECK(f.experiment.config().parallel.strategy == StrategyKind::kFsdp);
    CHECK(f.experiment.config().fsdp.shard == ShardedState::kParameters);
    CHECK(strategyTitle(f.page.scene()).contains("sharded over 4 ranks"));
    f.experiment.undoStack().undo();
    CHECK(f.experiment.config().parallel.strategy == StrategyKind::kPipeline);
}

TEST_CASE("a pipeline of sharded stages has its own row, marked as the experiment") {
    Strategies f;
    f.changed([](RunConfig& config) { config.mesh.shard = 2; });
    REQUIRE(f.table().rowCount() == 13);
    CHECK(f.table().item(12, 0)->text() == "Pipeline, sharded stages");
    CHECK(f.table().item(12, 0)->toolTip() == "Pipeline, sharded stages\nStrategy of the experiment");
    CHECK_FALSE(f.table().provedStrategies().contains("sharded_stages"));
}

TEST_CASE("the schedule's buttons set the form's schedule") {
    Strategies f;
    Q_EMIT f.page.findChild<SegmentedControl*>("scheduleKindsControl")->chosen(2);
    f.settle();
    CHECK(f.experiment.config().pipeline.schedule == PipelineScheduleKind::kInterleaved);
    CHECK(f.experiment.config().pipeline.stagesPerRank == 2);
    CHECK(scheduleSentence(f.page.scene()) ==
          "4 ranks with 2 stages each and 8 micro-batches: 3 of 19 slots are idle, 15.8 %");
    Q_EMIT f.page.findChild<SegmentedControl*>("scheduleKindsControl")->chosen(0);
    CHECK(f.experiment.config().pipeline.stagesPerRank == 1);
}

// Four stages: three boundaries, each with activations forth and gradients back.
TEST_CASE("the mesh has a row for each link, and the memory over the step one for each change") {
    Strategies f;
    f.page.showView("mesh");
    f.page.showView("memory_over_step");
    const TableData mesh = meshTable(f.page.scene());
    REQUIRE(mesh.rows == 6);
    CHECK(mesh.row(0).mid(0, 5) == QStringList{"0", "stage 0", "1", "stage 1", "activations"});
    const TableData curves = curvesTable(f.page.scene());
    REQUIRE(curves.rows > 0);
    CHECK(curves.row(0).size() == curves.columns.size());
    CHECK(memoryOverStepSentence(f.page.scene()).contains(" uses at most "));
    CHECK(f.page.findChild<QLabel*>("memoryNoteLabel") != nullptr);
}

TEST_CASE("the sentence about memory during a step distinguishes memory in use from allocated memory") {
    Strategies f;
    StrategyScene scene = f.page.scene();
    scene.curves.assign(4, {});
    for (std::size_t rank = 0; rank < 4; ++rank)
        scene.curves[rank] = {.moments = {{0, {.parameters = 1024}}, {1, {.parameters = 2048}}}, .end = 4};
    CHECK(memoryOverStepSentence(scene) == "Each rank uses at most 2.0 KiB, at 25.0 % of the step.");
    scene.ran = StrategyMeasurements();
    for (const std::int64_t peak : {4096, 5120, 4096, 4096})
        scene.ran->memory.push_back(RankMemory{.parameters = 1024, .peak = peak});
    CHECK(memoryOverStepSentence(scene) ==
          "Each rank uses at most 2.0 KiB, at 25.0 % of the step; up to 5.0 KiB are allocated (measured).");
    scene.curves[2].moments[1].inUse.parameters = 3072;
    CHECK(memoryOverStepSentence(scene) ==
          "Rank 2 uses at most 3.0 KiB, at 25.0 % of the step; 4.0 KiB are allocated (measured).");
}

TEST_CASE("the pictures of memory show their whole keys") {
    Strategies f;
    MemoryCurveCanvas curves(f.theme);
    curves.setScene(f.page.scene());
    curves.resize(540, 200);
    CHECK(hasText(curves, "line: allocated before step 1"));
    CHECK(hasText(curves, "Rank 3, stage 3"));
    curves.resize(230, 200);  // four plots, two beside each other
    CHECK(hasText(curves, "Rank 3"));
    curves.resize(130, 200);
    CHECK(hasText(curves, "3"));
}

TEST_CASE("measured values are shown next to predicted ones for the same strategy only") {
    Strategies f(2, "ddp");
    FakeRun run(f.run, {.config = f.experiment.config().toText()});
    for (int rank = 0; rank < 2; ++rank) {
        run.feed(RankMemory{.rank = rank, .parameters = 1000, .peak = 1000});
        run.feed(RankTraffic{rank, 2, 77});
    }
    REQUIRE(waitFor([&] { return f.page.scene().ran && f.page.scene().ran->memory.size() == 2; }));
    CHECK(f.page.scene().ran->memory[1].parameters == 1000);
    CHECK(f.label("memorySentenceLabel").toolTip().contains("measured") +
              f.label("memorySentenceLabel").text().contains("measured") >
          0);
    CHECK(linksTable(f.page.scene()).row(1).last() == "77");
    const TableData memory = memoryTable(f.page.scene());
    CHECK(memory.row(0).last() == "1000");
    CHECK(memory.row(0)[2] != "1000");  // the predicted value, which the measured one does not replace
    f.changed([](RunConfig& config) { config.parallel.strategy = StrategyKind::kFsdp; });
    CHECK_FALSE(f.page.scene().ran);
}

// The only process of the run reports one rank with four devices, while the form has four ranks.
TEST_CASE("measurements of a data_parallel run are shown with the form that started it") {
    Strategies f(4, "data_parallel");
    FakeRun run(f.run, {.ranks = 1, .config = withProcessesAsRanks(f.experiment.config()).toText()});
    run.feed(RankMemory{.rank = 0, .parameters = 1000, .peak = 1000});
    REQUIRE(waitFor([&] { return f.page.scene().ran && f.page.scene().ran->memory.size() == 1; }));
    f.changed([](RunConfig& config) { config.parallel.worldSize = 2; });
    CHECK_FALSE(f.page.scene().ran);
}

TEST_CASE("the reason for a missing plan uses the labels of the form") {
    Strategies f;
    f.changed([](RunConfig& config) { config.model.hidden = {16}; });
    CHECK_FALSE(f.page.scene().cost);
    const auto why = QStringLiteral("World size makes 4 stages, but the model can be cut into at most 3 parts");
    CHECK(f.table().item(6, 2)->text().contains(why));
    CHECK(f.label("scheduleSentenceLabel").text() == "no plan");
}

TEST_CASE("pictures are saved as tables, and the schedule in PyTorch's notation, which can be loaded again") {
    const QTemporaryDir directory;
    Strategies f;
    const auto saved = [&](const QString& name, const QString& text) {
        const QString file = directory.filePath(name);
        std::optional<QString> said;
        const QObject context;
        QObject::connect(&f.page, &StrategyPage::saved, &context, [&](const QString& sentence) { said = sentence; });
        QMenu& menu = *f.page.findChild<ViewExport*>()->menu();
        const auto asks = [&](const QString&, const QString&, const auto& taken) { taken(file); };
        QObject::connect(&f.page, &Page::savePathWanted, &context, asks);
        const QList<QAction*> actions = menu.actions();
        const auto action = std::ranges::find(actions, text, &QAction::text);
        REQUIRE(action != actions.end());
        (*action)->trigger();
        REQUIRE(waitFor([&] { return said.has_value(); }));
        return linesOf(file);
    };
    CHECK(saved("a.csv", "Save the view as CSV...").size() == 13);
    CHECK(saved("b.csv", "Save the memory as CSV...")[0] == "rank,class,predicted_bytes,measured_bytes");
    CHECK(saved("c.csv", "Save the model placement as CSV...").size() == 9);  // eight layers, each on one rank
    const QStringList actions = saved("d.csv", "Save the schedule in PyTorch's notation...");
    REQUIRE(actions.size() == 4);
    CHECK(actions[3].startsWith("3F0,3B0,3F1,3B1"));
    QString why;
    QObject::connect(&f.page, &StrategyPage::failed, &f.page, [&](const QString& text) { why = text; });
    f.page.loadSchedule(directory.filePath("d.csv"));
    f.settle();
    CHECK(why == "");
    CHECK(f.experiment.config().pipeline.scheduleFile == directory.filePath("d.csv").toStdString());
    CHECK(f.page.scene().cost);
    CHECK(f.page.scene().problem.empty());
    auto* kinds = f.page.findChild<SegmentedControl*>("scheduleKindsControl");
    CHECK(kinds->current() == -1);  // the strategy is none of the list
    f.page.findChild<QPushButton*>("oneForwardOneBackwardButton")->click();
    f.settle();
    CHECK(f.experiment.config().pipeline.scheduleFile.empty());
    CHECK(kinds->current() == 1);
}

TEST_CASE("a schedule that cannot be run is refused with the reason, and nothing changes") {
    const QTemporaryDir directory;
    QFile file(directory.filePath("bad.csv"));
    REQUIRE(file.open(QIODevice::WriteOnly));
    file.write("0B0,0F0\n");
    file.close();
    Strategies f;
    QString why;
    QObject::connect(&f.page, &StrategyPage::failed, &f.page, [&](const QString& text) { why = text; });
    f.page.loadSchedule(file.fileName());
    CHECK(why.contains("is not a valid schedule"));
    CHECK(f.experiment.config().pipeline.scheduleFile.empty());
}

TEST_CASE("impossible strategies are listed with the reason, and a click on them changes nothing") {
    Strategies f;
    f.changed([](RunConfig& config) {
        config.parallel.strategy = StrategyKind::kDdp;
        config.model.hidden = {16};
    });
    CHECK(f.table().item(6, 2)->text().contains("makes 4 stages, but the model can be cut into at most 3 parts"));
    Q_EMIT f.table().cellClicked(6, 0);
    CHECK(f.experiment.config().parallel.strategy == StrategyKind::kDdp);
}

TEST_CASE("without ringsidectl, Measure reports it and can be used again") {
    Strategies f;
    QString why;
    QObject::connect(&f.page, &StrategyPage::failed, &f.page, [&](const QString& text) { why = text; });
    auto* measure = f.page.findChild<QPushButton*>("measureStrategiesButton");
    measure->click();
    REQUIRE(waitFor([&] { return !why.isEmpty(); }));
    CHECK(why.contains("cannot be started"));
    CHECK(measure->text() == "Measure");
}

TEST_CASE("while strategies are measured the page shows how many are done") {
    const QTemporaryDir directory;
    const QString program = directory.filePath("ringsidectl");
    QFile file(program);
    REQUIRE(file.open(QIODevice::WriteOnly));
    file.write(
        "#!/bin/sh\necho '{\"strategy\":\"ddp\",\"measured_step_ms\":2.5,\"measured_samples_per_second\":51200,"
        "\"note\":\"the loss diverged at step 9\"}'\n"
        "echo '{\"strategy\":\"hsdp\",\"measured_step_ms\":null,\"problem\":\"rank 1 ran out of memory\"}'\n"
        "exec sleep 60\n");
    file.close();
    file.setPermissions(file.permissions() | QFileDevice::ExeOwner);
    Strategies f(4, "ddp", program);
    auto* measure = f.page.findChild<QPushButton*>("measureStrategiesButton");
    const auto note = [&] { return f.label("strategiesNoteLabel").text(); };
    const QString before = note();
    measure->click();
    CHECK(note() == "Measuring: 0 of 12 strategies done");
    REQUIRE(waitFor([&] { return note() == "Measuring: 2 of 12 strategies done"; }));
    CHECK(f.table().rowCount() == 12);
    const auto cell = [&](int row, const char* heading) { return f.cell(row, heading); };
    CHECK(cell(0, "Measured")->text() == "2.50 ms (diverged)");
    CHECK(cell(0, "Measured")->toolTip() == "Measured, but the loss diverged at step 9");
    CHECK(cell(0, "Samples")->text() == "128");
    CHECK(cell(0, "Samples/s")->text() == "51,200");
    CHECK(cell(5, "Measured")->text() == "failed");
    CHECK(cell(5, "Measured")->toolTip() == "Not measured: rank 1 ran out of memory");
    CHECK(cell(5, "Samples/s")->text().startsWith(QStringLiteral("≈ ")));
    CHECK(cell(5, "Expected")->text().startsWith(QStringLiteral("≈ ")));
    CHECK(cell(7, "Samples")->text() == "32");
    CHECK(cell(1, "Same bits")->text() == "not tested");
    measure->click();
    CHECK(note() == before);
    CHECK(cell(0, "Measured")->text() == "2.50 ms (diverged)");
}

TEST_CASE("estimated samples per second have three digits") {
    Strategies f;
    f.table().setFigures("ddp", {.expectedSamplesPerSecond = 575'656});
    CHECK(f.cell(0, "Samples/s")->text() == QStringLiteral("≈ 576,000"));
    f.table().setFigures("ddp", {.expectedSamplesPerSecond = 81.27});
    CHECK(f.cell(0, "Samples/s")->text() == QStringLiteral("≈ 81.3"));
    f.table().setFigures("ddp", {.measuredSamplesPerSecond = 575'656});
    CHECK(f.cell(0, "Samples/s")->text() == "575,656");
}

TEST_CASE("a proof ends with yes in green or with no in red") {
    Strategies f;
    f.table().setProof("ddp", {true, "fsdp:parameters", {}});
    f.table().setProof("pipeline:gpipe", {false, "ddp", "step 3"});
    CHECK(f.cell(0, "Same bits")->text() == "yes");
    CHECK(f.cell(0, "Same bits")->foreground().color() == f.theme.colors().goodText);
    CHECK(f.cell(7, "Same bits")->text() == "no");
    CHECK(f.cell(7, "Same bits")->foreground().color() == f.theme.colors().danger);
}

TEST_CASE("a narrow page scrolls its table instead of truncating numbers") {
    Strategies f;
    const auto widthOfColumns = [&] {
        int width = 0;
        for (int column = 0; column < f.table().columnCount(); ++column) width += f.table().columnWidth(column);
        return width;
    };
    f.table().resize(500, 200);
    CHECK(widthOfColumns() == 1060);
    f.table().setFigures("ddp", {.measuredMs = 123.4});
    for (int row = 0; row < f.table().rowCount(); ++row)
        for (const char* heading : {"Memory", "Bytes", "Idle", "Expected", "Measured", "Samples/s"}) {
            const QTableWidgetItem* cell = f.cell(row, heading);
            REQUIRE(cell);
            INFO(heading << ": " << cell->text().toStdString());
            const QVariant font = cell->data(Qt::FontRole);
            const QFontMetrics metrics(font.isValid() ? font.value<QFont>() : f.table().font());
            CHECK(metrics.horizontalAdvance(cell->text()) + 2 * TableCells::kMargin <=
                  f.table().columnWidth(cell->column()));
        }
    f.table().resize(1600, 200);
    CHECK(f.table().viewport()->width() > 1500);
    CHECK(widthOfColumns() == f.table().viewport()->width());
}

// Measured: with the cards of four ranks, a window of 1440 x 900 pixels leaves 1109 x 660 pixels for the page.
TEST_CASE("all strategies are visible in a page of 660 pixels") {
    Strategies f;
    f.page.resize(1109, 660);
    REQUIRE(f.table().rowCount() == 12);
    REQUIRE(waitFor([&] {
        const int last = f.table().rowViewportPosition(11) + f.table().rowHeight(11);
        return last <= f.table().viewport()->height();
    }));
    for (const char* name : {"holdsCanvas", "memoryCanvas", "scheduleCanvas"}) {
        INFO(name);
        const auto* picture = f.page.findChild<QWidget*>(QLatin1String(name));
        CHECK(picture->height() >= picture->minimumHeight());
        CHECK(picture->visibleRegion().boundingRect().height() >= picture->minimumHeight());
    }
    f.page.resize(700, 400);  // in a small window, the pictures keep their minimum size
    REQUIRE(waitFor([&] { return f.table().height() < 200; }));
}

TEST_CASE("figures of a strategy are discarded when its own settings change, and kept otherwise") {
    Strategies f;
    f.table().setFigures("pipeline:gpipe", {.measuredMs = 1.5});
    f.table().setFigures("ddp", {.measuredMs = 2.5});
    f.changed([](RunConfig& config) { config.parallel.strategy = StrategyKind::kDdp; });
    CHECK(f.table().item(7, 7)->text() == "1.50 ms");
    f.changed([](RunConfig& config) { config.pipeline.microBatches = 16; });
    CHECK(f.table().item(7, 7)->text() == "");
    CHECK(f.table().item(0, 7)->text() == "2.50 ms");
}

TEST_CASE("units of a sharded model are gathered before they compute and freed after it") {
    Strategies f(4, "fsdp");
    const std::vector<LaneGroup> groups = scheduleLanes(f.page.scene());
    REQUIRE(groups.size() == 1);
    CHECK(groups[0].lanes.size() == 8);
    const auto& blocks = groups[0].lanes[3].blocks;
    CHECK(std::ranges::count(blocks, LaneBlock::Kind::Resident, &LaneBlock::kind) == 2);  // forward and back
    CHECK(std::ranges::count(blocks, LaneBlock::Kind::Moving, &LaneBlock::kind) == 3);
    f.changed([](RunConfig& config) { config.fsdp.shard = ShardedState::kGradients; });
    const auto kept = scheduleLanes(f.page.scene())[0].lanes[3].blocks;
    CHECK(std::ranges::count(kept, LaneBlock::Kind::Resident, &LaneBlock::kind) == 1);
}

TEST_CASE("the legend of a schedule distinguishes planned from measured rows") {
    for (const char* strategy : {"ddp", "fsdp", "pipeline"}) {
        INFO(strategy);
        Strategies f(4, strategy);
        StrategyScene scene = f.page.scene();
        ScheduleCanvas canvas(f.theme);
        canvas.setScene(scene);
        const QString planned = canvas.legendText();
        CHECK_FALSE(planned.contains("neither forward nor backward"));
        scene.ran = StrategyMeasurements();
        scene.ran->step = 12;
        scene.ran->passes.resize(4, {{.backward = false, .beginNs = 0, .endNs = 1'000'000}});
        scene.ran->range = {0, 1'000'000};
        canvas.setScene(scene);
        const QString both = canvas.legendText();
        CHECK(both.contains("hatched: neither forward nor backward"));
        const bool units = scene.isSharded();
        CHECK(planned.contains(units ? "hatched: unit not gathered, or idle" : "hatched: idle"));
        CHECK(both.startsWith("Planned: one row per unit") == units);
        CHECK(both.contains("Ran: one row per rank") == units);
        CHECK(both.endsWith("step 12: 1.00 ms"));
    }
}

// 1F1B on 4 ranks: a forward takes 1, a backward 2; rank 0 begins with F0 F1 F2 F3 B0, rank 3 with F0 (at 3) B0.
TEST_CASE("in slow motion the schedule shows the position of each rank") {
    Strategies f;
    const SlowRun run(f);
    run.at(0, Phase::kForward, -1, "0F2");
    run.at(1, Phase::kDataWait, -1);
    run.at(2, Phase::kOptimizer, -1);
    CHECK_FALSE(stepMotion(f.run.data()));  // the position of rank 3 is unknown
    run.at(3, Phase::kBackward, -1, "3B0");
    const auto& canvas = *f.page.findChild<ScheduleCanvas*>();
    REQUIRE(waitFor([&] { return canvas.moments().size() == 4; }));
    CHECK(canvas.moments() == std::vector<std::optional<double>>{2.5, -1, 33, 5});
    CHECK((f.label("scheduleNoteLabel").text() + f.label("scheduleNoteLabel").toolTip()).contains("rank 0 0F2"));
    CHECK(motionSentence(run.scene()) ==
          "Step 7: rank 0 0F2 \u00b7 rank 1 fetches its batch \u00b7 rank 2 updates weights \u00b7 rank 3 3B0");
    CHECK(isSendingNow(run.scene(), StepLink::What::kActivations, 0));
    CHECK_FALSE(isSendingNow(run.scene(), StepLink::What::kActivationGradients, 0));
    CHECK(isSendingNow(run.scene(), StepLink::What::kActivationGradients, 3));
    CHECK_FALSE(isSendingNow(run.scene(), StepLink::What::kActivations, 1));
    run.feed(PhaseReached{3, 8, Phase::kDataWait, 6});  // rank 3 is one step ahead of the others
    REQUIRE(waitFor([&] { return canvas.moments()[3] == 33; }));
    CHECK(run.scene().motion->step == 7);
    run.feed(Controlled{.command = ControlKind::kRate, .value = 0});
    REQUIRE(waitFor([&] { return canvas.moments().empty(); }));
    CHECK(motionSentence(run.scene()) == "");
}

// Eight linear layers, 0, 2, 4, ... of the model, with a ReLU behind each but the last.
TEST_CASE("in slow motion the gathered units are those that the ranks work on") {
    Strategies f(2, "fsdp");
    f.changed([](RunConfig& config) { config.fsdp.prefetch = Prefetch::kNone; });
    const SlowRun run(f);
    for (int rank = 0; rank < 2; ++rank) run.at(rank, Phase::kForward, 6);
    REQUIRE(waitFor([&] { return run.scene().motion.has_value(); }));
    const auto gathered = [&] { return gatheredNow(run.scene(), scheduleLanes(run.scene()).front()); };
    CHECK(gathered() == std::vector<bool>{false, false, false, true, false, false, false, false});
    CHECK(isSendingNow(run.scene(), StepLink::What::kParameters, 0));
    CHECK_FALSE(isSendingNow(run.scene(), StepLink::What::kGradients, 0));
    for (int rank = 0; rank < 2; ++rank) run.at(rank, Phase::kBackward, 1);  // the first layer's ReLU
    REQUIRE(waitFor([&] { return run.scene().motion->ranks[1].layer == 1; }));
    CHECK(gathered() == std::vector<bool>{true, false, false, false, false, false, false, false});
    CHECK(isSendingNow(run.scene(), StepLink::What::kGradients, 0));
    for (int rank = 0; rank < 2; ++rank) run.at(rank, Phase::kOptimizer, -1);
    REQUIRE(waitFor([&] { return run.scene().motion->ranks[1].phase == Phase::kOptimizer; }));
    CHECK(gathered() == std::vector<bool>(8, false));
}
