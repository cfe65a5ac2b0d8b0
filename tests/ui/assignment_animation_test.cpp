// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/grid/motion/assignment_animation.h"

#include <QImage>
#include <QTest>

#include "plans.h"
#include "shards/grid/grid_widget.h"
#include "support/catch.h"
#include "theme/theme.h"

using namespace ringside;

namespace {

constexpr CellRange kAllRanks{0, 4}, kAllSlots{0, 3};

std::vector<std::int64_t> samplesOf(const AssignmentAnimation& animation) {
    std::vector<std::int64_t> samples;
    for (const AssignmentAnimation::Card& card : animation.cards()) samples.push_back(card.content.sample);
    return samples;
}

struct Table {
    Theme theme;
    GridWidget grid{theme};

    explicit Table(bool motion) {
        theme.setMode(Theme::Mode::Light);
        theme.setMotion(motion);
        grid.resize(700, 400);
        grid.setScene(sceneOf(tenOnFour()));
        grid.show();
    }
    AssignmentOverlay& overlay() { return *grid.findChild<AssignmentOverlay*>(); }
    QString explanation() { return overlay().explanation()->lines.join(' '); }
    void showEpoch(int epoch) {
        ShardSpec spec = tenOnFour();
        spec.epoch = epoch;
        grid.setScene(sceneOf(spec));
    }
};

}  // namespace

// torch.randperm(10) seeded with 0 is 4 1 7 5 3 9 0 8 6 2; two are repeated.
TEST_CASE("cards are assigned in order, one to each rank at a time") {
    const AssignmentAnimation animation(sceneOf(tenOnFour()), kAllRanks, kAllSlots, AssignmentAnimation::Speed::Quick);
    CHECK(samplesOf(animation) == std::vector<std::int64_t>{4, 1, 7, 5, 3, 9, 0, 8, 6, 2, 4, 1});
    CHECK(animation.groupSize() == 4);
    CHECK(animation.groupCount() == 3);
    CHECK(animation.cards()[10].content.kind == CellKind::Duplicate);
    CHECK(animation.travelled(0, 0) == 0);
    CHECK(animation.travelled(0, 100) == 0.5);
    CHECK(animation.travelled(3, 200) == 1);
    // The second group starts when the first one has travelled half of its way.
    CHECK(animation.travelled(4, 100) == 0);
    CHECK(animation.endMs() == 400);
}

TEST_CASE("blocks are assigned to one rank after the other, and only visible cards are animated") {
    ShardSpec spec = tenOnFour();
    spec.kind = SamplerKind::kContiguous;
    const AssignmentAnimation animation(sceneOf(spec), {0, 2}, {0, 2}, AssignmentAnimation::Speed::Quick);
    // The samples at positions 0, 1, 3 and 4 of the order.
    CHECK(samplesOf(animation) == std::vector<std::int64_t>{4, 1, 5, 3});
}

TEST_CASE("a quick animation takes 600 ms, a slow one shows each group separately") {
    ShardSpec spec = tenOnFour();
    spec.datasetSize = 400;
    const AssignmentAnimation quick(sceneOf(spec), kAllRanks, {0, 100}, AssignmentAnimation::Speed::Quick);
    CHECK(quick.groupCount() == 100);
    CHECK(quick.endMs() == Approx(600));
    const AssignmentAnimation slow(sceneOf(spec), kAllRanks, {0, 2}, AssignmentAnimation::Speed::Slow);
    CHECK(slow.groupAt(-1) == -1);
    CHECK(slow.groupAt(899) == 0);
    CHECK(slow.travelled(0, 200) == 1);
    CHECK(slow.travelled(4, 899) == 0);
}

TEST_CASE("a change of epoch is animated if motion is allowed, and ends with the complete assignment") {
    Table still(false), moving(true);
    still.showEpoch(1);
    CHECK(!still.overlay().isRunning());
    moving.showEpoch(1);
    REQUIRE(moving.overlay().isRunning());
    CHECK(moving.grid.grab().toImage() != still.grid.grab().toImage());
    moving.overlay().showAt(1e6);
    CHECK(!moving.overlay().isRunning());
    CHECK(moving.grid.grab().toImage() == still.grid.grab().toImage());
}

TEST_CASE("moving the epoch slider, changed settings and a first plan are shown without animation") {
    Table table(true);
    CHECK(!table.overlay().isRunning());
    ShardSpec spec = tenOnFour();
    spec.worldSize = 2;
    table.grid.setScene(sceneOf(spec));
    CHECK(!table.overlay().isRunning());
    table.grid.setScene(sceneOf(tenOnFour()));
    table.showEpoch(1);
    CHECK(table.overlay().isRunning());
    table.showEpoch(2);  // a change directly after another one ends the animation
    CHECK(!table.overlay().isRunning());
}

TEST_CASE("a slow animation explains each group, continues with Space and ends with any other key or a click") {
    Table table(false);
    table.grid.animateAssignment(AssignmentAnimation::Speed::Slow);
    REQUIRE(table.overlay().isRunning());
    table.overlay().showAt(0);
    CHECK(table.explanation().contains("Position 0 is sample 4, assigned to rank 0 mod 4 = 0 and slot 0 div 4 = 0"));
    QTest::keyClick(&table.overlay(), Qt::Key_Space);
    CHECK(table.explanation().contains("Position 4 is sample 3, assigned to rank 4 mod 4 = 0 and slot 4 div 4 = 1"));
    QTest::keyClick(&table.overlay(), Qt::Key_Escape);
    CHECK(!table.overlay().isRunning());
    table.grid.animateAssignment(AssignmentAnimation::Speed::Slow);
    QTest::mouseClick(&table.overlay(), Qt::LeftButton);
    CHECK(!table.overlay().isRunning());
    table.grid.animateAssignment(AssignmentAnimation::Speed::Slow);
    table.grid.showStart();  // moving the view ends the animation too
    CHECK(!table.overlay().isRunning());
}

TEST_CASE("a batch leaves the grid when forward begins and returns as trained when its step is counted") {
    Theme theme;
    QWidget grid;
    BatchFlight flight(theme, grid);
    RunProgress progress;
    progress.ranks.resize(2);
    for (RankProgress& one : progress.ranks) {
        one.done = 8;
        one.underway = 4;
        one.showsPhases = true;
    }
    flight.setProgress(progress);
    CHECK_FALSE(flight.isAnyComputing());
    progress.ranks[1].isComputing = true;
    flight.setProgress(progress);
    CHECK(flight.computingSlots(0).size() == 0);
    CHECK(flight.computingSlots(1).first == 8);
    CHECK(flight.computingSlots(1).size() == 4);
    CHECK_FALSE(flight.isFlying());         // without motion, the samples are at their target immediately
    progress.ranks[1].isComputing = false;  // in the optimizer phase, the samples do not count as taken yet
    flight.setProgress(progress);
    CHECK(flight.computingSlots(1).size() == 4);
    progress.ranks[1].done = 12;
    flight.setProgress(progress);
    CHECK_FALSE(flight.isAnyComputing());
    theme.setMotion(true);
    progress.ranks[0].isComputing = true;
    flight.setProgress(progress);
    CHECK(flight.isFlying());
    flight.showAt(1e12);
    CHECK_FALSE(flight.isFlying());
    progress.ranks[0].showsPhases = false;  // the run continues at full speed
    flight.setProgress(progress);
    CHECK_FALSE(flight.isAnyComputing());
}
