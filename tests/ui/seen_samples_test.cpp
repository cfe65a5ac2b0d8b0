// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/seen/seen_samples.h"

#include <QHeaderView>
#include <QLabel>
#include <QScrollBar>
#include <QTableView>
#include <QTemporaryDir>
#include <fstream>

#include "models/run_model.h"
#include "shards/seen/audit_table.h"
#include "shards/seen/seen_samples_panel.h"
#include "shards/seen/step_samples.h"
#include "support/catch.h"
#include "theme/theme.h"
#include "ui/wait_for.h"
#include "ui/watched_run.h"

using namespace ringside;

namespace {

// Run directory with a record of real PyTorch (tests/watch/plan/recorded).
struct RecordedRun {
    QTemporaryDir folder;
    std::string lines;

    explicit RecordedRun(const char* name) {
        RunConfig config;
        config.dataset.kind = DatasetKind::kExternal;
        RunStarted started;
        started.worldSize = 3;
        started.config = config.toText();
        lines = encode(started) + WatchedRunFiles::recorded(name);
        write();
    }
    void write() const {
        std::ofstream(folder.filePath("telemetry.jsonl").toStdString()) << lines;
        std::ofstream(folder.filePath("config.json").toStdString()) << "{}";
    }
    // Replaces a text of the record by another one.
    void damage(const std::string& before, const std::string& after) {
        const std::size_t at = lines.find(before);
        REQUIRE(at != std::string::npos);
        lines.replace(at, before.size(), after);
        write();
    }
    SeenSamples read() const { return readSeenSamples(folder.path().toStdString(), false, std::atomic<bool>(false)); }
};

}  // namespace

TEST_CASE("every trained sample of a real DistributedSampler is checked off") {
    const RecordedRun run("ddp_three_ranks");
    const SeenSamples samples = run.read();
    // 103 samples, 3 ranks: 35 for each rank in each of 2 epochs
    CHECK(samples.asPlanned == 3 * 35 * 2);
    CHECK(samples.notAsPlanned == 0);
    CHECK(planSentence(samples) == "All 210 trained samples are as planned by DistributedSampler (seed 5, shuffled).");
    REQUIRE(samples.audit);
    const TableData table = auditTable(*samples.audit);
    CHECK(table.columns == QStringList{"Use", "Loader", "Epoch", "Assigned", "Distinct", "Twice", "Never", "Rank 0",
                                       "Rank 1", "Rank 2", "Remark"});
    // 105 draws of 103 samples: 2 are repeated so that all ranks get 35
    CHECK(table.row(0).first(10) ==
          QStringList{"training", "cnn_torchrun.py:56", "1", "105", "103", "2", "0", "35", "35", "35"});
}

TEST_CASE("a sample that differs from the plan is counted and located") {
    RecordedRun run("ddp_three_ranks");
    run.damage("\"index\":[2,61,28,", "\"index\":[2,62,28,");
    const SeenSamples samples = run.read();
    CHECK(samples.notAsPlanned == 8);  // all samples of the batch with the changed index
    CHECK(samples.firstOther == "rank 2, epoch 1, step 2");
    RunData data;
    Decoder decoder;
    decoder.feed(run.lines, [&](Event&& event) { data.apply(event); });
    const auto rows = samplesOfStep(data, 2, samples.loader, samples.plan);
    REQUIRE(rows.size() == 3);
    CHECK(rows[2].rank == 2);
    CHECK(rows[2].cells[1] == StepSamplesView::Cell{62, true});
    CHECK(std::ranges::count(rows[2].cells, true, &StepSamplesView::Cell::isOther) == 1);
    CHECK(std::ranges::count(rows[1].cells, true, &StepSamplesView::Cell::isOther) == 0);
}

TEST_CASE("no plan is claimed if the first batch contradicts it, or if its order is not known") {
    RecordedRun run("ddp_three_ranks");
    run.damage("\"index\":[76,83,", "\"index\":[83,76,");
    CHECK_FALSE(run.read().plan);
    CHECK(planSentence(run.read()) ==
          "The samples are shown as they were seen, because the first batch of rank 2 differs from the order of its "
          "sampler.");
    const SeenSamples unknown = RecordedRun("accelerate_default").read();
    CHECK_FALSE(unknown.plan);
    CHECK(planSentence(unknown).startsWith("The samples are shown as they were seen, because the order of"));
}

TEST_CASE("a record that cannot be read is named") {
    const SeenSamples samples = readSeenSamples("/no/run", true, std::atomic<bool>(false));
    CHECK_FALSE(samples.audit);
    CHECK(samples.problem.contains("/no/run"));
}

TEST_CASE("a plan with the same order in each epoch is not reported as a success") {
    SeenSamples samples;
    samples.asPlanned = 210;
    samples.plan = SeenPlan();
    samples.plan->sampler.setEpoch = false;
    CHECK(planSentence(samples).endsWith("but each epoch has the same order: set_epoch() is not called."));
}

TEST_CASE("no sample counts as planned if none was compared") {
    SeenSamples samples;
    samples.plan = SeenPlan();
    CHECK(planSentence(samples).startsWith("No trained sample was compared with the plan of DistributedSampler"));
}

TEST_CASE("an epoch that was not finished has a remark in the table") {
    SummarySamples audit;
    audit.train.resize(2);
    audit.train[0].finished = true;
    CHECK(auditTable(audit).row(0).last().isEmpty());
    CHECK(auditTable(audit).row(1).last() == "the epoch was not finished");
}

TEST_CASE("a narrow view shows the remark: ranks share a column, and a single loader has none") {
    SummarySamples audit;
    audit.train.resize(2);
    for (EpochSamples& epoch : audit.train) {
        epoch.loader = "train.py:48";
        epoch.assigned = 8;
        epoch.perRank = {4, 4};
        epoch.finished = true;
    }
    audit.train[1].perRank = {5, 3};
    audit.train[1].why = "drop_last leaves out the missing samples";
    const TableData table = narrowAuditTable(audit);
    CHECK(table.columns == QStringList{"Epoch", "Assigned", "Distinct", "Twice", "Never", "By rank", "Remark"});
    CHECK(table.row(0) == QStringList{"1", "8", "", "", "", "4 each", ""});
    CHECK(table.row(1) == QStringList{"1", "8", "", "", "", "5, 3", "drop_last leaves out the missing samples"});
    audit.val.resize(1);
    audit.val[0].loader = "train.py:60";
    CHECK(narrowAuditTable(audit).columns.first(3) == QStringList{"Use", "Loader", "Epoch"});
}

TEST_CASE("a result that is not good has a cross, also after a run that ended while the panel was hidden") {
    const RecordedRun run("ddp_three_ranks");
    RunModel model;
    const Theme theme;
    SeenSamplesPanel panel(model, theme);
    panel.show();
    model.setDirectory(run.folder.path());
    model.feed(QByteArray::fromStdString(run.lines));
    const auto* label = panel.findChild<QLabel*>("auditLinesLabel");
    // 2 of 105 draws repeat a sample so that all ranks get 35; no sample is left out
    REQUIRE(waitFor([&] { return label->text().contains("105"); }));
    INFO(label->text().toStdString());
    CHECK(label->text().count(QChar(0x2713)) == 1);
    CHECK_FALSE(label->text().contains(QChar(0x2717)));
    panel.hide();
    RunSummary summary;
    summary.source = "watched";
    summary.samples = SummarySamples{};
    summary.samples->lines = {
        {"training epoch 1", "7 samples never seen", false},
        {"training epoch 2", "every sample exactly once", true},
        {"note", "the order is not known"},
        {"training epoch 3", "9 samples; the indices of the samples are not known", false, false}};
    std::ofstream(run.folder.filePath("summary.json").toStdString()) << toJson(summary).dump();
    model.feed(QByteArray::fromStdString(encode(RunEnded{})));
    bool hasEnded = false;
    QObject::connect(&model, &RunModel::changed, &panel, [&] { hasEnded = model.data().ended().has_value(); });
    REQUIRE(waitFor([&] { return hasEnded; }));
    panel.show();
    REQUIRE(waitFor([&] { return label->text().contains("7 samples never seen"); }));
    const QStringList lines = label->text().split("<br>");
    REQUIRE(lines.size() == 4);
    CHECK(lines[0].contains(QChar(0x2717)));
    CHECK(lines[0].contains(theme.colors().danger.name()));
    CHECK(lines[1].contains(QChar(0x2713)));
    CHECK(lines[2].contains(QChar(0x2022)));  // a note has a bullet and no check mark
    CHECK(lines[3].contains(QChar(0x2022)));
}

TEST_CASE("the panel shows the audit, the latest step and the comparison") {
    const RecordedRun run("ddp_three_ranks");
    RunModel model;
    const Theme theme;
    SeenSamplesPanel panel(model, theme);
    panel.resize(900, 600);
    panel.show();
    model.setDirectory(run.folder.path());
    model.reset();
    model.feed(QByteArray::fromStdString(run.lines));
    const auto text = [&](const char* name) { return panel.findChild<QLabel*>(QLatin1String(name))->text(); };
    REQUIRE(waitFor([&] { return text("planComparedLabel").startsWith("All 210"); }));
    const auto* table = panel.findChild<QTableView*>("auditTable");
    CHECK(table->verticalScrollBar()->maximum() == 0);                         // all rows are visible
    CHECK(table->horizontalHeader()->length() >= table->viewport()->width());  // the columns fill the whole width
    CHECK(panel.table().rows == 2);  // two epochs; the record contains no indices of the evaluation
    CHECK(text("stepSamplesLabel") == "Samples of step 10");
    CHECK(panel.findChild<StepSamplesView*>()->rows().size() == 3);
    panel.setStep(2);
    CHECK(text("stepSamplesLabel") == "Samples of step 2");
}
