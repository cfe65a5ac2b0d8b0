// SPDX-License-Identifier: GPL-3.0-or-later
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>

#include "config/run_config.h"
#include "models/run_model.h"
#include "replicas/replica_sentences.h"
#include "replicas/replica_table.h"
#include "replicas/replicas_page.h"
#include "support/catch.h"
#include "telemetry/events/codec.h"
#include "theme/theme.h"
#include "ui/wait_for.h"

using namespace ringside;

namespace {

GradientView viewOf(int rank, const char* moment, double value) {
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

// The page of a live run of two ranks, whose gradients are 1 and 3 everywhere.
struct ReplicasBench {
    Theme theme;
    RunModel run;
    ReplicasPage page{run, theme};

    ReplicasBench() {
        RunStarted started;
        started.worldSize = 2;
        started.config = RunConfig().toText();
        feed(started);
        page.resize(900, 600);
        page.show();
        REQUIRE(waitFor([&] { return run.data().started().has_value(); }));
    }
    void feed(const Event& event) { run.feed(QByteArray::fromStdString(encode(event))); }
    void look() {
        feed(viewOf(0, "own", 1));
        feed(viewOf(1, "own", 3));
        feed(viewOf(0, "mean", 2));
        feed(viewOf(1, "mean", 2));
        REQUIRE(waitFor([&] { return text("lookedAtLabel") == "step 12"; }));
    }
    QString text(const char* name) { return page.findChild<QLabel*>(QLatin1String(name))->text(); }
    QPushButton& button(const char* name) { return *page.findChild<QPushButton*>(QLatin1String(name)); }
};

}  // namespace

// By hand: three ranks, parts of one value; in step 1 rank 0 sends part 0 to rank 1, rank 1 part 1 to rank 2, ...
TEST_CASE("a ring makes the mean of all ranks' values in 2 (N - 1) steps") {
    const RingSteps ring({{3, 6, 9}, {30, 60, 90}, {300, 600, 900}});
    REQUIRE(ring.steps() == 4);
    CHECK(ring.part(0, 1, 2).values == std::vector<double>{30});  // 90 / 3
    CHECK(ring.sentPart(0, 0) == 0);
    CHECK(ring.part(1, 1, 0).values == std::vector<double>{11});  // 1 of rank 0 and 10 of its own
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

TEST_CASE("before a step was looked at the page says how, and asks the run for it") {
    ReplicasBench bench;
    REQUIRE(waitFor([&] { return bench.text("replicasEmptyTitleLabel") == "No step has been looked at yet"; }));
    QSignalSpy wanted(&bench.page, &ReplicasPage::lookWanted);
    bench.button("lookButton").click();
    bench.button("followButton").click();
    REQUIRE(wanted.count() == 2);
    CHECK(wanted[0][0].toInt() == 1);
    CHECK(wanted[1][0].toInt() == 50);
    RunEnded ended;
    ended.state = "finished";
    bench.feed(ended);
    REQUIRE(waitFor([&] { return bench.text("replicasEmptyTitleLabel") == "Nobody looked at a step of this run"; }));
    CHECK_FALSE(bench.button("lookButton").isEnabled());
}

TEST_CASE("a step that was looked at is shown with the rank that pulled farthest, and as a table") {
    ReplicasBench bench;
    bench.feed(ConsumedIndices{0, 0, 12, 0, {7, 42}});
    bench.look();
    CHECK(bench.text("pullLabel") ==
          "Step 12: rank 0 pulled farthest from the mean (cosine 0.50). It trained samples 7, 42.");
    const LookedAtStep& step = *bench.run.data().replicas().latestWhole();
    const ShardTable table = gradientTable(step);
    CHECK(table.rows == 16);
    CHECK(table.row(4) == QStringList{"own", "1", "0.weight", "0", "0", "3"});
    CHECK(table.row(8)[0] == "mean");
    CHECK(normTable(bench.run.data().replicas()).row(1) == QStringList{"12", "1", "6", "0.6"});
}

TEST_CASE("the ring goes forwards and backwards and ends with what the run's own all-reduce gave") {
    ReplicasBench bench;
    bench.look();
    bench.page.showView("ring");
    CHECK(bench.text("ringLabel").startsWith("Step 0 of 2."));
    CHECK_FALSE(bench.button("ringBackButton").isEnabled());
    bench.button("ringNextButton").click();
    CHECK(bench.text("ringLabel").contains("one part of the whole sum"));
    bench.button("ringNextButton").click();
    CHECK(bench.text("ringLabel").endsWith("the run's own all-reduce gave the same within 0."));
    CHECK_FALSE(bench.button("ringNextButton").isEnabled());
    bench.button("ringBackButton").click();
    CHECK(bench.text("ringLabel").startsWith("Step 1 of 2."));
}

TEST_CASE("replicas that are the same are said to be, and those that are not by rank, step and tensor") {
    ReplicasBench bench;
    const auto tell = [&](std::int64_t step, std::int64_t bias) {
        bench.feed(Replica{0, step, "a", {"0.weight", "0.bias"}, {1, 5}});
        bench.feed(Replica{1, step, bias == 5 ? "a" : "b", {"0.weight", "0.bias"}, {1, bias}});
    };
    tell(12, 5);
    REQUIRE(waitFor([&] { return bench.text("replicasLabel").startsWith("All 2 replicas identical after step 12"); }));
    tell(24, 6);
    tell(36, 7);
    REQUIRE(waitFor([&] { return bench.run.data().replicas().state()->step == 36; }));
    CHECK(replicasSentence(bench.run.data()) ==
          "Not identical since step 24: rank 1 differs from the others, first in 0.bias.");
}

TEST_CASE("where no rank has a whole gradient the page says why") {
    Theme theme;
    RunModel run;
    ReplicasPage page(run, theme);
    RunConfig config;
    config.parallel.strategy = "fsdp";
    RunStarted started;
    started.worldSize = 4;
    started.config = config.toText();
    run.feed(QByteArray::fromStdString(encode(started)));
    page.show();
    REQUIRE(waitFor([&] { return run.data().started().has_value(); }));
    REQUIRE(waitFor([&] {
        return page.findChild<QLabel*>("replicasEmptyLabel")->text().startsWith("This run's strategy is fsdp");
    }));
    CHECK_FALSE(page.findChild<QPushButton*>("lookButton")->isEnabled());
}
