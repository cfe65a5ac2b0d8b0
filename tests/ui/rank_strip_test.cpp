// SPDX-License-Identifier: GPL-3.0-or-later
#include "ranks/rank_strip.h"

#include <algorithm>

#include "models/experiment_model.h"
#include "models/run_model.h"
#include "support/catch.h"
#include "theme/theme.h"
#include "ui/telemetry.h"
#include "ui/wait_for.h"

using namespace ringside;

namespace {

struct FollowedRun {
    ExperimentModel experiment;
    RunModel run;
    Theme theme;
    FakeRun fake{run};
    RankStrip strip{experiment, run, theme};
};

}  // namespace

TEST_CASE("few ranks get full cards in one row") {
    const RankStripLayout layout = RankStripLayout::of(4, 1256);
    CHECK(layout.density == RankStripLayout::Density::Full);
    CHECK(layout.rows == 1);
    CHECK(layout.card(3).right() < 1256);
}

TEST_CASE("cards never overlap or leave the strip, from 1 to 64 ranks") {
    for (const int width : {400, 1000, 1256, 1416, 3800}) {
        for (int ranks = 1; ranks <= 64; ++ranks) {
            const RankStripLayout layout = RankStripLayout::of(ranks, width);
            for (int rank = 0; rank < ranks; ++rank) {
                const QRect card = layout.card(rank);
                CHECK((card.left() >= 0 && card.right() < width && card.bottom() < layout.height()));
                CHECK(layout.rankAt(card.center(), ranks) == rank);
            }
            CHECK(layout.visibleHeight() <= 3 * 34 + 2 * 8 + 16);  // never more than a sixth of a small window
        }
    }
}

TEST_CASE("64 ranks are all visible in a window of 1280 pixels") {
    for (const int width : {1256, 1416}) {
        const RankStripLayout layout = RankStripLayout::of(64, width);
        CHECK(layout.height() == layout.visibleHeight());
    }
}

TEST_CASE("the space between cards belongs to no rank") {
    const RankStripLayout layout = RankStripLayout::of(4, 1000);
    CHECK(layout.rankAt({layout.card(0).right() + 3, 10}, 4) == -1);
    CHECK(layout.rankAt({-1, 10}, 4) == -1);
}

TEST_CASE("ranks of one host are grouped under its name; single ranks are not") {
    ExperimentModel experiment;
    RunModel run;
    Theme theme;
    FakeRun fake(run, {.ranks = 4});
    const auto place = [&](const std::vector<std::string>& hosts) {
        for (std::size_t rank = 0; rank < hosts.size(); ++rank)
            fake.feed(RankState{static_cast<int>(rank), RankStage::kTraining, "", 0, 1, -1, hosts[rank]});
    };
    RankStrip strip(experiment, run, theme);
    place({"node1", "node2", "node1", "node2"});
    REQUIRE(waitFor([&] { return strip.hosts().size() == 2; }));
    CHECK(strip.hosts()[0].ranks == std::vector<int>{0, 2});
    CHECK(strip.hosts()[1].host == "node2");
    CHECK(strip.cards()[2].host.isEmpty());
    place({"ada", "ben", "cem", "dan"});
    REQUIRE(waitFor([&] { return strip.hosts().empty(); }));
    CHECK(strip.cards()[2].host == "cem");
    const RankStripLayout layout = RankStripLayout::of(4, 1000, {0, 2, 1, 3});
    CHECK(layout.card(2).left() < layout.card(1).left());
    CHECK(layout.rankAt(layout.card(1).center(), 4) == 1);
    CHECK(layout.card(0).top() == layout.caption);
}

TEST_CASE("ranks of other hosts show the offset of their clock, and ranks of the run's host show none") {
    ExperimentModel experiment;
    RunModel run;
    Theme theme;
    FakeRun fake(run, {.ranks = 4});
    RankStrip strip(experiment, run, theme);
    for (int rank = 0; rank < 4; ++rank)
        fake.feed(RankState{rank, RankStage::kTraining, "", 0, 1, -1, rank < 2 ? "node1" : "node2"});
    fake.feed(HostClock{.rank = 2, .offsetUs = -9'000'000, .movedUs = 1840, .errorUs = 60, .roundTripUs = 120});
    REQUIRE(waitFor([&] { return strip.cards().size() == 4 && strip.cards()[3].tip.contains("clock"); }));
    for (const std::size_t rank : {std::size_t{2}, std::size_t{3}})
        CHECK(strip.cards()[rank].tip.contains("clock +1.84 ms, uncertainty 0.06 ms, round trip 0.12 ms"));
    CHECK_FALSE(strip.cards()[1].tip.contains("clock"));
    CHECK(clocksText(run.data().ranks()) == "node2 +1.84 ms, uncertainty 0.06 ms, round trip 0.12 ms");
}

TEST_CASE("before a run there is one card per planned rank, at most 64") {
    ExperimentModel experiment;
    RunModel run;
    Theme theme;
    RankStrip strip(experiment, run, theme);
    CHECK(strip.cards().size() == 4);
    RunConfig config = experiment.config();
    config.parallel.worldSize = 1000000000;
    experiment.edit(config, "parallel.world_size");
    CHECK(strip.cards().size() == 64);
    config.parallel.worldSize = -3;
    experiment.edit(config, "parallel.world_size");
    CHECK(strip.cards().empty());
}

TEST_CASE("a rank on a GPU shows its readings, and its name in the tooltip") {
    ExperimentModel experiment;
    RunModel run;
    Theme theme;
    FakeRun fake(run);
    fake.feed(RankState{0, RankStage::kTraining, "GPU 0 (NVIDIA H200)", 7, 1});
    Heartbeat beat;
    beat.gpu = {87, 12'300'000'000, 141'000'000'000, 63, 412.4};
    fake.feed(beat);
    RankStrip strip(experiment, run, theme);
    strip.setLive(true);
    REQUIRE(strip.cards().size() == 2);
    CHECK(strip.cards()[0].line.contains("87 %  11.5 GiB of 131.3 GiB  63 °C  412 W"));
    CHECK(strip.cards()[0].tip.contains("GPU 0 (NVIDIA H200): 87 %"));
    CHECK_FALSE(strip.cards()[1].line.contains('%'));
}

TEST_CASE("ranks are in sync only while their parameters have the same checksum") {
    FollowedRun followed;
    auto& [experiment, run, theme, fake, strip] = followed;
    const auto mark = [&](std::int64_t step, const char* second) {
        fake.feed(Replica{.rank = 0, .step = step, .hash = "aaaa"});
        fake.feed(Replica{.rank = 1, .step = step, .hash = second});
        strip.setLive(true);
        return strip.cards()[1].mark;
    };
    CHECK(mark(1, "aaaa") == "in sync");
    CHECK(strip.cards()[1].tone == RankCard::Tone::Good);
    CHECK(mark(2, "bbbb") == "out of sync");
    CHECK(strip.cards()[1].tone == RankCard::Tone::Danger);
}

TEST_CASE("the only replica of a pipeline stage is not shown as in sync") {
    ExperimentModel experiment;
    RunModel run;
    Theme theme;
    RankStrip strip(experiment, run, theme);
    RunConfig config;
    const auto marks = [&](int ranks) {
        run.reset();
        config.parallel.worldSize = ranks;
        FakeRun fake(run, {.ranks = ranks, .config = config.toText()});
        for (int rank = 0; rank < ranks; ++rank) fake.feed(Replica{.rank = rank, .step = 1, .hash = "aaaa"});
        strip.setLive(true);
        QStringList all;
        for (const RankCard& card : strip.cards()) all << card.mark;
        return all;
    };
    CHECK(marks(2) == QStringList{"in sync", "in sync"});
    config.parallel.strategy = StrategyKind::kPipeline;
    CHECK(marks(3) == QStringList{"only replica of stage 0", "only replica of stage 1", "only replica of stage 2"});
    CHECK(strip.cards()[2].tone == RankCard::Tone::Plain);
    config.mesh.replicate = 2;
    config.mesh.pipeline = 2;
    CHECK(marks(4) == QStringList{"in sync", "in sync", "in sync", "in sync"});
    config.mesh.replicate = 1;
    config.pipeline.schedule = PipelineScheduleKind::kInterleaved;
    config.pipeline.stagesPerRank = 2;
    CHECK(marks(2) == QStringList{"only replica of its stages", "only replica of its stages"});
    config = RunConfig();
    CHECK(marks(1) == QStringList{"only replica"});
}

TEST_CASE("ranks with a lost connection are marked as lost, not as in sync") {
    FollowedRun followed;
    auto& [experiment, run, theme, fake, strip] = followed;
    strip.setLive(true);
    const std::string phase = strip.cards()[0].phase.toStdString();
    RunConfig config = experiment.config();
    config.parallel.worldSize = 2;  // the strip still shows the run when it is no longer live
    experiment.edit(config, "parallel.world_size");
    strip.setLive(false);
    strip.setLost(true);
    for (const RankCard& card : strip.cards()) {
        CHECK(card.mark == "lost");
        CHECK(card.tone == RankCard::Tone::Plain);
        CHECK(card.phase.toStdString() == "last known: " + phase);
    }
    strip.setLost(false);
    CHECK(strip.cards()[0].mark != "lost");
}

TEST_CASE("a rank for which the others wait is red after the first step, and before it after some seconds") {
    FollowedRun followed;
    auto& [experiment, run, theme, fake, strip] = followed;
    strip.setLive(true);
    const auto waits = [&](std::int64_t collective, std::int64_t seconds) {
        fake.feed(Heartbeat{.rank = 0,
                            .phase = Phase::kWaiting,
                            .collective = collective,
                            .timeUs = (seconds + 1) * 1'000'000,
                            .stalledUs = seconds * 1'000'000});
        return waitFor([&] { return strip.cards()[1].mark == QString("other ranks wait %1 s").arg(seconds); });
    };
    REQUIRE(waits(1, 4));
    CHECK(strip.cards()[1].tone == RankCard::Tone::Plain);
    SECTION("before the first step") {
        REQUIRE(waits(1, 11));
        CHECK(waitFor([&] { return strip.cards()[1].tone == RankCard::Tone::Danger; }));
        return;
    }
    fake.steps(1);
    REQUIRE(waits(2, 4));
    CHECK(waitFor([&] { return strip.cards()[1].tone == RankCard::Tone::Danger; }));
}

TEST_CASE("the ranks of a stopped run are shown as stopped, not as finished") {
    FollowedRun followed;
    auto& [experiment, run, theme, fake, strip] = followed;
    fake.steps(2);
    for (int rank = 0; rank < 2; ++rank) {
        RankState state;
        state.rank = rank;
        // Older and newer runs report different states.
        state.state = rank == 0 ? RankStage::kFinished : RankStage::kStopped;
        fake.feed(state);
    }
    RunEnded ended;
    ended.state = RunOutcome::kStopped;
    fake.feed(ended);
    strip.setLive(true);
    CHECK(strip.cards()[0].phase == "stopped");
    CHECK(strip.cards()[1].phase == "stopped");
}

TEST_CASE("the ranks of a run whose supervisor was killed are not shown as in sync") {
    FollowedRun followed;
    auto& [experiment, run, theme, fake, strip] = followed;
    fake.steps(2);
    for (int rank = 0; rank < 2; ++rank) {
        RankState state;
        state.rank = rank;
        state.state = RankStage::kTraining;
        fake.feed(state);
        fake.feed(Replica{.rank = rank, .step = 1, .hash = "aaaa"});
    }
    strip.setLive(true);
    CHECK(strip.cards()[0].mark == "in sync");
    RunEnded ended;
    ended.state = RunOutcome::kFailed;
    fake.feed(ended);
    strip.setLive(true);
    for (const RankCard& card : strip.cards()) {
        CHECK(card.mark == "stopped with the run");
        CHECK(card.phase == "last known: training");
        CHECK(card.tone == RankCard::Tone::Plain);
    }
}

TEST_CASE("in slow motion a card shows the current phase, and a throttled run is marked") {
    ExperimentModel experiment;
    RunModel run;
    Theme theme;
    RankStrip strip(experiment, run, theme);
    RunConfig config;
    config.parallel.throttle.gflops = 1;
    FakeRun fake(run, {.ranks = 4, .config = config.toText()});
    fake.feed(PhaseReached{2, 7, Phase::kBackward, 5});
    strip.setLive(true);
    REQUIRE(waitFor([&] { return strip.cards().size() == 4 && strip.cards()[2].rate == "throttled"; }));
    CHECK(strip.cards()[2].litPhase == -1);  // no phases are shown at full speed
    fake.feed(Controlled{.command = ControlKind::kRate, .value = 2, .step = 6});
    REQUIRE(waitFor([&] { return strip.cards()[2].litPhase == 2; }));
    CHECK(strip.cards()[2].phase == "step 7: backward");
    CHECK(strip.cards()[1].litPhase == -1);
    fake.feed(Controlled{.command = ControlKind::kPause, .step = 6, .after = Phase::kMoving});
    REQUIRE(waitFor([&] { return strip.cards()[1].phase == "paused after moving"; }));
    for (const RankCard& card : strip.cards()) CHECK(card.litPhase == 3);
    // A request to inspect the next step does not end the pause.
    fake.feed(Controlled{.command = ControlKind::kReplicas, .value = 1, .step = 6});
    fake.feed(RankState{1, RankStage::kPaused, "", 0, 0, -1, "node1"});
    REQUIRE(waitFor([&] { return strip.hosts().size() == 2; }));
    CHECK(strip.cards()[1].phase == "paused after moving");
    CHECK(strip.cards()[1].litPhase == 3);
    fake.feed(ThrottleKept{1, 7, false, 1.5});
    fake.feed(Controlled{.command = ControlKind::kResume, .step = 6});
    fake.feed(Controlled{.command = ControlKind::kRate, .value = 0, .step = 6});
    REQUIRE(waitFor([&] { return strip.cards()[1].rate == "CPU too slow for the throttle"; }));
}

TEST_CASE("ranks that will restart are marked as restarting, not as failed") {
    FollowedRun followed;
    auto& [experiment, run, theme, fake, strip] = followed;
    strip.setLive(true);
    for (int rank = 0; rank < 2; ++rank) fake.feed(RankState{rank, RankStage::kFailed, "", 0, 1});
    REQUIRE(waitFor([&] { return strip.cards()[0].mark == "failed"; }));
    SECTION("within a run") {
        fake.feed(Controlled{.command = ControlKind::kRestart, .value = 1});
        REQUIRE(waitFor([&] { return strip.cards()[0].mark == "starting again"; }));
        CHECK(strip.cards()[1].phase == "starting again");
        CHECK(strip.cards()[0].tone == RankCard::Tone::Plain);
        fake.feed(RankState{0, RankStage::kLoading, "", 0, 2});
        REQUIRE(waitFor([&] { return strip.cards()[0].mark == "loading"; }));
    }
    SECTION("when the launcher may restart it") {
        RunEnded ended;
        ended.state = RunOutcome::kFailed;
        fake.feed(ended);
        strip.setMayStartAgain(true);
        REQUIRE(waitFor([&] { return strip.cards()[0].mark == "may restart"; }));
        CHECK(strip.cards()[0].tone == RankCard::Tone::Plain);
        strip.setMayStartAgain(false);
        CHECK(strip.cards()[0].mark == "failed");
    }
}

TEST_CASE("on the smallest cards every rank shows its loss, or none does") {
    ExperimentModel experiment;
    RunModel run;
    Theme theme;
    FakeRun fake(run, {.ranks = 64});
    fake.steps(2);
    RankStrip strip(experiment, run, theme);
    strip.setLive(true);
    for (const int width : {1256, 1416, 3800}) {
        strip.resize(width, 120);
        strip.show();
        REQUIRE(waitFor([&] { return strip.cards().size() == 64; }));
        const auto withLoss =
            std::ranges::count_if(strip.cards(), [](const RankCard& one) { return !one.loss.isEmpty(); });
        INFO(width << " pixels: " << withLoss);
        CHECK((withLoss == 0 || withLoss == 64));
        CHECK(strip.source().endsWith(". Loss of each rank") == (withLoss == 64));
        CHECK_FALSE(strip.source().contains("Samples/s"));
        for (const RankCard& card : strip.cards()) CHECK(card.tip.contains("loss"));
    }
}

TEST_CASE("a loss has four significant digits on the cards") {
    FollowedRun followed;
    StepsFrame frame;
    frame.step = {1};
    frame.loss = {0.000412345};
    frame.samples = {4};
    frame.endUs = {1000};
    followed.fake.feed(frame);
    followed.strip.setLive(true);
    REQUIRE(waitFor([&] { return followed.strip.cards()[0].line.contains("loss 0.0004123"); }));
}
