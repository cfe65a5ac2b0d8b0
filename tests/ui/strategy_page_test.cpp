// SPDX-License-Identifier: GPL-3.0-or-later
#include "strategy/page/strategy_page.h"

#include <QFile>
#include <QTemporaryDir>

#include "models/experiment_model.h"
#include "models/run_model.h"
#include "strategy/page/twin_panel.h"
#include "strategy/pictures/schedule_canvas.h"
#include "strategy/scene/strategy_sentences.h"
#include "support/catch.h"
#include "telemetry.h"
#include "theme/theme.h"
#include "wait_for.h"

using namespace ringside;

namespace {

struct Strategies {
    Theme theme;
    ExperimentModel experiment;
    RunModel run;
    StrategyPage page{experiment, run, theme, QStringLiteral("/nonexistent/ringsidectl")};

    explicit Strategies(std::int64_t ranks = 4, const std::string& strategy = "pipeline") {
        RunConfig config;
        config.model.hidden = {16, 16, 16, 16, 16, 16, 16};
        config.parallel.worldSize = ranks;
        config.parallel.strategy = strategy;
        config.pipeline.microBatches = 8;
        experiment.replace(config, {});
        page.resize(1100, 640);
        page.show();
        REQUIRE(waitFor([&] { return experiment.data() && page.isSettled() && page.scene().cost; }));
    }
    ChoicesTable& table() { return *page.findChild<ChoicesTable*>(); }
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

QStringList linesOf(const QString& file) {
    QFile read(file);
    REQUIRE(read.open(QIODevice::ReadOnly));
    return QString::fromUtf8(read.readAll()).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
}

}  // namespace

TEST_CASE("the sentence counts the schedule's idle slots with the user's own numbers") {
    Strategies f;
    CHECK(scheduleSentence(f.page.scene()) == "4 stages and 8 micro-batches: 3 of 11 slots are idle, 27.3 %");
    CHECK(strategyTitle(f.page.scene()) == "pipeline of 4 stages, 8 micro-batches, 1F1B");
    CHECK(inFlightSentence(f.page.scene()) == "in flight: 4, 3, 2, 1");
    f.changed([](RunConfig& config) { config.parallel.strategy = "model_parallel"; });
    CHECK(scheduleSentence(f.page.scene()) == "One batch at a time: 3 of 4 ranks wait, 75.0 %");
}

TEST_CASE("a click on a strategy takes it over into the form, and undo takes it back") {
    Strategies f;
    REQUIRE(f.table().rowCount() == 12);
    CHECK(f.table().item(4, 0)->text() == "FSDP, parameters (ZeRO-3)");
    Q_EMIT f.table().cellClicked(4, 0);
    f.settle();
    CHECK(f.experiment.config().parallel.strategy == "fsdp");
    CHECK(f.experiment.config().fsdp.shard == "parameters");
    CHECK(strategyTitle(f.page.scene()).contains("sharded over 4 ranks"));
    f.experiment.undoStack().undo();
    CHECK(f.experiment.config().parallel.strategy == "pipeline");
}

TEST_CASE("the schedule's buttons set the form's schedule") {
    Strategies f;
    Q_EMIT f.page.findChild<SegmentedControl*>("scheduleKindsControl")->chosen(2);
    f.settle();
    CHECK(f.experiment.config().pipeline.schedule == "interleaved");
    CHECK(f.experiment.config().pipeline.stagesPerRank == 2);
    CHECK(scheduleSentence(f.page.scene()) ==
          "4 ranks of 2 stages and 8 micro-batches: 3 of 19 slots are idle, 15.8 %");
    Q_EMIT f.page.findChild<SegmentedControl*>("scheduleKindsControl")->chosen(0);
    CHECK(f.experiment.config().pipeline.stagesPerRank == 1);
}

// Four stages: three boundaries, each with activations forth and gradients back.
TEST_CASE("the mesh has a row for each link, and the memory over the step one for each change") {
    Strategies f;
    f.page.showView("mesh");
    f.page.showView("memory_over_step");
    const StrategyTable mesh = meshTable(f.page.scene());
    REQUIRE(mesh.rows.size() == 6);
    CHECK(mesh.rows[0].mid(0, 5) == QStringList{"0", "stage 0", "1", "stage 1", "activations"});
    const StrategyTable curves = curvesTable(f.page.scene());
    REQUIRE(!curves.rows.isEmpty());
    CHECK(curves.rows.front().size() == curves.columns.size());
    CHECK(memoryOverStepSentence(f.page.scene()).startsWith("Rank "));
    CHECK(f.page.findChild<QLabel*>("memoryNoteLabel") != nullptr);
}

TEST_CASE("what a run measured is shown beside what was predicted, of the same strategy only") {
    Strategies f(2, "ddp");
    RunStarted started;
    started.worldSize = 2;
    started.config = f.experiment.config().toText();
    const auto feed = [&](const Event& event) { f.run.feed(QByteArray::fromStdString(encode(event))); };
    feed(started);
    for (int rank = 0; rank < 2; ++rank) {
        feed(RankMemory{.rank = rank, .parameters = 1000, .peak = 1000});
        feed(RankTraffic{rank, 2, 77});
    }
    REQUIRE(waitFor([&] { return f.page.scene().ran && f.page.scene().ran->memory.size() == 2; }));
    CHECK(f.page.scene().ran->memory[1].parameters == 1000);
    CHECK(f.label("memorySentenceLabel").toolTip().contains("measured") +
              f.label("memorySentenceLabel").text().contains("measured") >
          0);
    CHECK(linksTable(f.page.scene()).rows[1].last() == "77");
    f.changed([](RunConfig& config) { config.parallel.strategy = "fsdp"; });
    CHECK_FALSE(f.page.scene().ran);
}

TEST_CASE("pictures are saved as tables, and the schedule in PyTorch's notation, which can be loaded again") {
    const QTemporaryDir directory;
    Strategies f;
    const auto saved = [&](const QString& name, const QString& table) {
        const QString file = directory.filePath(name);
        std::optional<QString> said;
        const QObject context;
        QObject::connect(&f.page, &StrategyPage::saved, &context, [&](const QString& text) { said = text; });
        f.page.exportTo(file, table);
        REQUIRE(waitFor([&] { return said.has_value(); }));
        return linesOf(file);
    };
    CHECK(saved("a.csv", "strategies").size() == 13);
    CHECK(saved("b.csv", "strategy-memory")[0] == "rank,class,predicted_bytes,measured_bytes");
    CHECK(saved("c.csv", "strategy-holds").size() == 9);  // eight layers, each on one rank
    const QStringList actions = saved("d.csv", "actions");
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
    CHECK(why.contains("is no schedule that can be run"));
    CHECK(f.experiment.config().pipeline.scheduleFile.empty());
}

TEST_CASE("what does not suit stands in the table with the reason, and a click on it changes nothing") {
    Strategies f;
    f.changed([](RunConfig& config) {
        config.parallel.strategy = "ddp";
        config.model.hidden = {16};
    });
    CHECK(f.table().item(6, 2)->text().contains("makes 4 stages, but the model has 3 layers"));
    Q_EMIT f.table().cellClicked(6, 0);
    CHECK(f.experiment.config().parallel.strategy == "ddp");
}

TEST_CASE("without ringsidectl Measure says so and is ready again") {
    Strategies f;
    QString why;
    QObject::connect(&f.page, &StrategyPage::failed, &f.page, [&](const QString& text) { why = text; });
    auto* measure = f.page.findChild<QPushButton*>("measureStrategiesButton");
    measure->click();
    REQUIRE(waitFor([&] { return !why.isEmpty(); }));
    CHECK(why.contains("cannot be started"));
    CHECK(measure->text() == "Measure");
}

TEST_CASE("units of a sharded model are gathered before they compute and freed after it") {
    Strategies f(4, "fsdp");
    const std::vector<LaneGroup> groups = scheduleLanes(f.page.scene());
    REQUIRE(groups.size() == 1);
    CHECK(groups[0].lanes.size() == 8);
    const auto& blocks = groups[0].lanes[3].blocks;
    CHECK(std::ranges::count(blocks, LaneBlock::Kind::Resident, &LaneBlock::kind) == 2);  // forward and back
    CHECK(std::ranges::count(blocks, LaneBlock::Kind::Moving, &LaneBlock::kind) == 3);
    f.changed([](RunConfig& config) { config.fsdp.shard = "gradients"; });
    const auto kept = scheduleLanes(f.page.scene())[0].lanes[3].blocks;
    CHECK(std::ranges::count(kept, LaneBlock::Kind::Resident, &LaneBlock::kind) == 1);
}
