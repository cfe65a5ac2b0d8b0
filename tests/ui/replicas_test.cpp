// SPDX-License-Identifier: GPL-3.0-or-later
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>

#include <QTest>
#include "config/run_config.h"
#include "models/run_model.h"
#include "replicas/replica_sentences.h"
#include "replicas/replica_table.h"
#include "replicas/replicas_page.h"

#include "support/catch.h"
#include "support/choices.h"
#include "support/latest_with_cells.h"
#include "telemetry/events/codec.h"
#include "theme/theme.h"
#include "ui/painted_texts.h"
#include "ui/telemetry.h"
#include "ui/wait_for.h"

using namespace ringside;

namespace {

GradientView viewOf(int rank, GradientMoment moment, double value) {
    GradientView view{.rank = rank, .step = 12, .moment = moment, .norm = 2 * std::abs(value)};
    view.names = {"0.weight"};
    view.rows = {2};
    view.columns = {2};
    view.cells = {value, value, -value, value};
    view.tensorNorms = {view.norm};
    view.ring = {value, value + 1, value + 2, value + 3};
    view.cosine = 0.5 + 0.1 * rank;
    return view;
}

// The Replicas page with a live run of two ranks, whose gradients are 1 and 3 everywhere.
struct ReplicasBench {
    Theme theme;
    RunModel run;
    ReplicasPage page{run, theme};

    explicit ReplicasBench(const RunConfig& config = {}) {
        RunStarted started;
        started.worldSize = 2;
        started.config = config.toText();
        feed(started);
        page.resize(900, 600);
        page.show();
        REQUIRE(waitFor([&] { return run.data().started().has_value(); }));
    }
    void feed(const Event& event) { run.feed(QByteArray::fromStdString(encode(event))); }
    void openPage() {
        feed(viewOf(0, GradientMoment::kOwn, 1));
        feed(viewOf(1, GradientMoment::kOwn, 3));
        feed(viewOf(0, GradientMoment::kMean, 2));
        feed(viewOf(1, GradientMoment::kMean, 2));
        REQUIRE(waitFor([&] { return text("inspectedStepLabel") == "step 12"; }));
    }
    QString text(const char* name) { return page.findChild<QLabel*>(QLatin1String(name))->text(); }
    QPushButton& button(const char* name) { return *page.findChild<QPushButton*>(QLatin1String(name)); }
};

}  // namespace

// Computed by hand: three ranks, each part has one value. In step 1, rank 0 sends part 0 to rank 1, rank 1 sends part 1
// to rank 2, ...
TEST_CASE("a ring makes the mean of all ranks' values in 2 (N - 1) steps") {
    const RingSteps ring({{3, 6, 9}, {30, 60, 90}, {300, 600, 900}});
    REQUIRE(ring.steps() == 4);
    CHECK(ring.part(0, 1, 2).values == std::vector<double>{30});  // 90 / 3
    CHECK(ring.sentPart(0, 0) == 0);
    CHECK(ring.part(1, 1, 0).values == std::vector<double>{11});  // 1 from rank 0, and 10 of its own
    CHECK(ring.part(1, 1, 0).ranks == 2);
    CHECK(ring.part(1, 1, 0).arrived);
    CHECK(ring.part(1, 0, 0).values == std::vector<double>{1});
    CHECK(ring.sentPart(1, 1) == 0);
    CHECK(ring.part(2, 2, 0).values == std::vector<double>{111});
    CHECK(ring.part(2, 2, 0).ranks == 3);
    CHECK(ring.isGathering(2));
    CHECK(ring.part(3, 0, 0).values == std::vector<double>{111});
    for (int rank = 0; rank < 3; ++rank) {
        CHECK(ring.part(4, rank, 0).values == std::vector<double>{111});
        CHECK(ring.part(4, rank, 1).values == std::vector<double>{222});
        CHECK(ring.part(4, rank, 2).values == std::vector<double>{333});
        CHECK(ring.sentPart(4, rank) == -1);
    }
}

TEST_CASE("the sentence about identical replicas follows the mesh, and needs two ranks") {
    const auto sentence = [](int ranks, const Mesh& mesh = {}) {
        RunData run;
        RunStarted started;
        started.worldSize = ranks;
        run.apply(started);
        for (int rank = 0; rank < ranks; ++rank) run.apply(Replica{.rank = rank, .step = 3, .hash = "aaaa"});
        return replicasSentence(run, mesh);
    };
    CHECK(sentence(2) == "Both replicas are identical after step 3: their parameters have the same checksums.");
    CHECK(sentence(1).isEmpty());
    CHECK(sentence(4) == "All 4 replicas are identical after step 3: their parameters have the same checksums.");
    CHECK(sentence(2, {1, 2, 1}) == "Both ranks gather identical parameters after step 3.");
    CHECK(sentence(4, {2, 2, 1}) == "All 4 ranks gather identical parameters after step 3.");
    CHECK(sentence(4, {1, 1, 4}).isEmpty());
    CHECK(sentence(4, {2, 1, 2}) == "The replicas of each stage are identical after step 3 (4 ranks).");
    CHECK(sentence(4, {1, 2, 2}) == "The ranks of each stage gather identical parameters after step 3 (4 ranks).");
}

TEST_CASE("before an inspection the page explains how to start one, and sends the request") {
    ReplicasBench bench;
    REQUIRE(waitFor([&] { return bench.text("replicasEmptyTitleLabel") == "Starting 2 ranks, 0 connected"; }));
    for (const int rank : {0, 1}) {
        StepsFrame first;
        first.rank = rank;
        first.step = {1};
        first.loss = {2.0};
        first.samples = {32};
        first.endUs = {1000};
        bench.feed(first);
    }
    REQUIRE(waitFor([&] { return bench.text("replicasEmptyTitleLabel") == "No step has been inspected yet"; }));
    bench.feed(Controlled{.command = ControlKind::kPause, .step = 1, .after = Phase::kOptimizer});
    bench.feed(Controlled{.command = ControlKind::kReplicas, .value = 1, .step = 1});
    REQUIRE(waitFor([&] { return bench.text("replicasEmptyTitleLabel") == "The next step will be inspected"; }));
    CHECK(bench.text("replicasEmptyLabel").startsWith("The run is paused. Click Step or Resume"));
    bench.feed(Controlled{.command = ControlKind::kResume, .step = 1});
    REQUIRE(waitFor([&] { return bench.text("replicasEmptyTitleLabel") == "No step has been inspected yet"; }));
    QSignalSpy wanted(&bench.page, &ReplicasPage::inspectionWanted);
    bench.button("inspectButton").click();
    bench.button("followButton").click();
    REQUIRE(wanted.count() == 2);
    CHECK(wanted[0][0].toInt() == 1);
    CHECK(wanted[1][0].toInt() == 50);
    RunEnded ended;
    ended.state = RunOutcome::kFinished;
    bench.feed(ended);
    REQUIRE(waitFor([&] { return bench.text("replicasEmptyTitleLabel") == "No step of this run was inspected"; }));
    CHECK_FALSE(bench.button("inspectButton").isEnabled());
}

TEST_CASE("an inspected step is shown with the rank farthest from the mean, and as a table") {
    ReplicasBench bench;
    bench.feed(ConsumedIndices{0, 0, 12, 0, {7, 42}});
    bench.openPage();
    CHECK(bench.text("contributionLabel") ==
          "Step 12: the gradient of rank 0 was farthest from the mean (cosine 0.50). This rank trained on samples 7, "
          "42.");
    const InspectedStep& step = *latestWithCells(bench.run.data().replicas());
    const TableData table = gradientTable(step);
    CHECK(table.rows == 16);
    CHECK(table.row(4) == QStringList{"own", "1", "0.weight", "0", "0", "3"});
    CHECK(table.row(8)[0] == "mean");
    CHECK(normTable(bench.run.data().replicas()).row(1) == QStringList{"12", "1", "6", "0.6"});
}

TEST_CASE("the ring can be stepped forward and back, and ends with the result of the run's all-reduce") {
    ReplicasBench bench;
    bench.openPage();
    bench.page.showView("ring");
    CHECK(bench.text("ringLabel").startsWith("Step 0 of 2."));
    CHECK(bench.page.shortcuts().front().what.startsWith("Replicas: "));
    CHECK_FALSE(bench.button("ringBackButton").isEnabled());
    bench.button("ringNextButton").click();
    CHECK(bench.text("ringLabel").contains("one complete part of the sum"));
    bench.button("ringNextButton").click();
    CHECK(bench.text("ringLabel")
              .endsWith("the result of the run's own all-reduce is the same (largest difference: 0)."));
    CHECK_FALSE(bench.button("ringNextButton").isEnabled());
    bench.button("ringBackButton").click();
    CHECK(bench.text("ringLabel").startsWith("Step 1 of 2."));
}

TEST_CASE("each part of the ring shows how many ranks its sum contains") {
    const Theme theme;
    RingPicture picture(theme);
    picture.resize(700, 300);
    picture.setSteps(RingSteps({{3, 6, 9}, {30, 60, 90}, {300, 600, 900}}), 12);
    const auto count = [&](const char* text) {
        const QList<PaintedText> texts = paintedTexts(picture);
        return std::ranges::count(texts, QLatin1String(text), &PaintedText::text);
    };
    CHECK(count("1 rank") == 9);
    picture.setStep(1);
    CHECK(count("1 rank") == 6);
    CHECK(count("2 ranks") == 3);
}

// Determined by hand: the picture of gradients has a column for each rank; those of contributions and of the ring have
// a row.
TEST_CASE("the pictures name the rank and the step under the pointer") {
    ReplicasBench bench;
    bench.openPage();
    const Identity step{IdentityKind::Step, 12};
    const auto* gradients = bench.page.findChild<GradientPicture*>();
    const auto left = gradients->identitiesAt(QPoint(140, 60));
    CHECK(left == std::vector<Identity>{{IdentityKind::Rank, 0}, step});
    CHECK(gradients->identitiesAt(QPoint(gradients->width() - 20, 60)) == std::vector<Identity>{step});
    bench.button("contributionViewButton").click();
    const auto* rows = bench.page.findChild<ContributionPicture*>();
    for (const int rank : {0, 1}) {
        const auto things = rows->identitiesAt(QPoint(20, 40 + 46 * rank));
        CHECK(std::ranges::count(things, Identity{IdentityKind::Rank, rank}) == 1);
        CHECK(std::ranges::count(things, step) == 1);
        int linkedTo = -1;
        const auto link = QObject::connect(&bench.page, &ReplicasPage::samplesWanted,
                                           [&linkedTo](qint64, qint64, int wanted) { linkedTo = wanted; });
        QTest::mouseClick(bench.page.findChild<ContributionPicture*>(), Qt::LeftButton, {}, QPoint(20, 40 + 46 * rank));
        CHECK(linkedTo == rank);
        QObject::disconnect(link);
    }
    bench.button("ringViewButton").click();
    const auto* ring = bench.page.findChild<RingPicture*>();
    CHECK(ring->identitiesAt(QPoint(20, 50)) == std::vector<Identity>{{IdentityKind::Rank, 0}, step});
}

TEST_CASE("stages of a pipeline without replicas are not reported as identical") {
    RunConfig config;
    config.parallel.strategy = StrategyKind::kPipeline;
    config.parallel.worldSize = 2;
    const auto sentenceWith = [](const RunConfig& experiment) {
        ReplicasBench bench(experiment);
        QSignalSpy changed(&bench.run, &RunModel::changed);
        for (const int rank : {0, 1}) bench.feed(Replica{rank, 12, "a", {"0.weight"}, {1}});
        const auto isShown = [](const QList<QVariant>& one) { return (one[0].toUInt() & kReplicasChanged) != 0; };
        REQUIRE(waitFor([&] { return std::ranges::any_of(changed, isShown); }));
        return bench.text("replicasLabel");
    };
    CHECK(sentenceWith(config).isEmpty());
    config.mesh.replicate = 2;  // two replicas of a pipeline of one stage
    CHECK(sentenceWith(config).startsWith("Both replicas are identical after step 12"));
}

TEST_CASE("identical replicas are reported, and differing ones with rank, step and tensor") {
    ReplicasBench bench;
    const auto report = [&](std::int64_t step, std::int64_t bias) {
        bench.feed(Replica{0, step, "a", {"0.weight", "0.bias"}, {1, 5}});
        bench.feed(Replica{1, step, bias == 5 ? "a" : "b", {"0.weight", "0.bias"}, {1, bias}});
    };
    report(12, 5);
    REQUIRE(
        waitFor([&] { return bench.text("replicasLabel").startsWith("Both replicas are identical after step 12"); }));
    report(24, 6);
    report(36, 7);
    REQUIRE(waitFor([&] { return bench.run.data().replicas().state()->step == 36; }));
    CHECK(replicasSentence(bench.run.data(), Mesh()) ==
          "The replicas are not identical since step 24: rank 1 differs from the other ranks, first in 0.bias.");
}

// Computed by hand: the mean over two ranks has the norm 4. A gradient with the norm 2 and the cosine 0.5 to the mean
// contributes 1 of 2 x 4.
TEST_CASE("the contribution of a rank is the part of its gradient along the mean") {
    ReplicasBench bench;
    bench.openPage();
    bench.feed(ConsumedIndices{1, 0, 12, 0, {5}});
    REQUIRE(waitFor([&] { return bench.run.data().ranks()[1].indicesCount == 1; }));
    bench.page.showStep(12);
    const StepContributions contributions = stepContributions(bench.run.data(), RunConfig(), 12, {0, 1});
    REQUIRE(contributions.hasGradients);
    CHECK(*contributions.ranks[0].share == Approx(2 * 0.5 / (2 * 4)));
    CHECK(*contributions.ranks[1].share == Approx(6 * 0.6 / (2 * 4)));
    CHECK(contributions.ranks[1].samples == std::vector<std::int64_t>{5});
    CHECK_FALSE(contributions.ranks[1].samplesPlanned);
    CHECK(contributionTable(contributions).row(1)[6] == "5");
    CHECK(bench.text("contributionLabel")
              .startsWith("Step 12: the gradient of rank 0 was farthest from the mean (cosine 0.50)."));
}

TEST_CASE("a step without inspection shows losses and samples, and how to record gradients") {
    Theme theme;
    RunModel run;
    ReplicasPage page(run, theme);
    RunConfig config;
    config.parallel.worldSize = 2;
    config.sampler.shuffle = false;
    config.loader.batchSize = 2;
    RunStarted started;
    started.worldSize = 2;
    started.trainingSamples = 12;
    started.stepsPerEpoch = 3;
    started.epochs = 2;
    started.config = config.toText();
    const auto feed = [&](const Event& event) { run.feed(QByteArray::fromStdString(encode(event))); };
    feed(started);
    for (int rank = 0; rank < 2; ++rank) {
        StepsFrame frame;
        frame.rank = rank;
        frame.epoch = 1;
        frame.step = {5};
        frame.loss = {0.25 + rank};
        frame.correct = {1};
        frame.samples = {2};
        frame.endUs = {100};
        frame.gradientNorm = {0.5};
        feed(frame);
    }
    page.resize(900, 600);
    page.show();
    REQUIRE(waitFor([&] { return run.data().lastStep().has_value(); }));
    page.showStep(5);
    const QString text = page.findChild<QLabel*>("contributionLabel")->text();
    CHECK(text.contains("The gradients of step 5 were not recorded. Rank 1 had the highest loss"));
    CHECK(text.contains("Record 50 steps"));
    // DistributedSampler without shuffling: rank 1 has 1, 3, 5, 7, ...; the second batch of two is 5 and 7.
    const StepContributions contributions = stepContributions(run.data(), config, 5, {0, 1});
    CHECK(contributions.epoch == 1);
    CHECK(*contributions.ranks[1].loss == Approx(1.25));
    CHECK(contributions.ranks[1].samples == std::vector<std::int64_t>{5, 7});
    CHECK(contributions.ranks[1].samplesPlanned);
}

TEST_CASE("without replicas the page shows the reason") {
    const auto [strategy, text] =
        GENERATE(table<const char*, const char*>({{"data_parallel", "With the strategy DataParallel, one process"},
                                                  {"pipeline", "Each stage of the model exists once"}}));
    Theme theme;
    RunModel run;
    ReplicasPage page(run, theme);
    RunConfig config;
    choose(config.parallel.strategy, strategy);
    const FakeRun fake(run, {.ranks = 4, .config = config.toText()});
    page.show();
    REQUIRE(waitFor([&] { return run.data().started().has_value(); }));
    REQUIRE(waitFor([&] { return page.findChild<QLabel*>("replicasEmptyLabel")->text().startsWith(text); }));
    CHECK_FALSE(page.findChild<QLabel*>("replicasEmptyLabel")->text().contains("mesh.replicate"));
    CHECK_FALSE(page.findChild<QPushButton*>("inspectButton")->isEnabled());
}

TEST_CASE("the steps of a watched script cannot be inspected") {
    Theme theme;
    RunModel run;
    ReplicasPage page(run, theme);
    RunConfig config;
    config.dataset.kind = DatasetKind::kExternal;
    config.dataset.size = 16;
    const FakeRun fake(run, {.ranks = 2, .config = config.toText()});
    page.show();
    REQUIRE(waitFor([&] { return run.data().started().has_value(); }));
    REQUIRE(waitFor([&] {
        return page.findChild<QLabel*>("replicasEmptyLabel")->text().startsWith("A watched script trains by its own");
    }));
    for (const char* name : {"inspectButton", "followButton"}) {
        const auto* button = page.findChild<QPushButton*>(name);
        CHECK_FALSE(button->isEnabled());
        CHECK(button->toolTip().startsWith("A watched script trains by its own code"));
    }
}

TEST_CASE("an all-reduce with other values than the ring is reported as different") {
    ReplicasBench bench;
    bench.feed(viewOf(0, GradientMoment::kOwn, 1));
    bench.feed(viewOf(1, GradientMoment::kOwn, 3));
    for (const int rank : {0, 1})
        bench.feed(viewOf(rank, GradientMoment::kMean, 4));  // wrong: the mean of 1 and 3 is 2, their sum is 4
    REQUIRE(waitFor([&] { return bench.text("inspectedStepLabel") == "step 12"; }));
    bench.page.showView("ring");
    for (int step = 0; step < 2; ++step) bench.button("ringNextButton").click();
    CHECK(bench.text("ringLabel")
              .endsWith("the result of the run's own all-reduce differs from this result by up to 2."));
    CHECK(bench.page.findChild<QLabel*>("ringLabel")->property("tone") == "danger");
    bench.button("ringBackButton").click();
    CHECK(bench.page.findChild<QLabel*>("ringLabel")->property("tone").toString().isEmpty());
}

TEST_CASE("differing replicas are also reported while the run is paused") {
    ReplicasBench bench;
    bench.feed(Replica{0, 12, "a", {"0.weight"}, {1}});
    bench.feed(Replica{1, 12, "b", {"0.weight"}, {2}});
    bench.feed(Controlled{ControlKind::kPause, 0, 12, 0, Phase::kBackward, 2000});
    REQUIRE(waitFor([&] { return bench.run.data().pauses().isPaused(); }));
    CHECK(waitFor(
        [&] { return bench.text("replicasLabel").startsWith("The replicas are not identical since step 12"); }));
    CHECK(bench.page.findChild<QLabel*>("replicasLabel")->property("tone") == "danger");
}
