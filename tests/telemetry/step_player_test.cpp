// SPDX-License-Identifier: Apache-2.0
#include "telemetry/traces/step_player.h"

#include "support/catch.h"

using namespace ringside;
using ItemKind = PlanItem::Kind;

namespace {

PlanItem item(ItemKind kind, double ns, std::size_t place = 0) {
    return {kind, Phase::kIdle, ns, place};
}

PlanItem workFor(Phase phase, double ns) {
    return {ItemKind::kWork, phase, ns, 0};
}

// Rank 0 requests a collective after 10 ns and enters it 2 ns later; rank 1 enters it after 20 ns.
StepPlan oneCollective() {
    StepPlan plan;
    plan.arrivals = 1;
    plan.ranks.resize(2);
    plan.ranks[0].items = {workFor(Phase::kForward, 10), item(ItemKind::kReady, 0), workFor(Phase::kBackward, 5),
                           item(ItemKind::kWait, 1)};
    plan.ranks[0].collectives = {{.meeting = 0, .delayNs = 2, .moveNs = 4, .bytes = 64, .kind = 1}};
    plan.ranks[1].items = {workFor(Phase::kForward, 20), item(ItemKind::kReady, 0), item(ItemKind::kWait, 0)};
    plan.ranks[1].collectives = {{.meeting = 0, .delayNs = 0, .moveNs = 3, .bytes = 32, .kind = 1}};
    return plan;
}

std::vector<std::int64_t> numbers(const std::vector<Phase>& phases) {
    std::vector<std::int64_t> all;
    for (const Phase phase : phases) all.push_back(static_cast<std::int64_t>(phase));
    return all;
}

}  // namespace

TEST_CASE("a collective ends when its last rank has arrived and the bytes have moved") {
    StepPlayer player(2);
    std::vector<StepTrace> traces;
    player.record(&traces);
    CHECK(player.play(oneCollective()) == 25);  // last arrival at 20, 4 ns to move, 1 ns until the thread continues
    REQUIRE(traces.size() == 2);
    CHECK((traces[0].rank == 0 && traces[0].beginNs == 0 && traces[0].lengthNs == 25));
    CHECK(traces[0].phase ==
          numbers({Phase::kForward, Phase::kBackward, Phase::kWaiting, Phase::kMoving, Phase::kIdle}));
    CHECK(traces[0].at == std::vector<std::int64_t>{0, 10, 15, 20, 24});
    CHECK(traces[0].collective == std::vector<std::int64_t>{1});
    CHECK(traces[0].group == std::vector<std::int64_t>{0});
    CHECK(traces[0].kind == std::vector<std::int64_t>{1});
    CHECK(traces[0].bytes == std::vector<std::int64_t>{64});
    CHECK(traces[0].ready == std::vector<std::int64_t>{10});
    CHECK(traces[0].arrived == std::vector<std::int64_t>{12});
    CHECK(traces[0].last == std::vector<std::int64_t>{20});
    CHECK(traces[0].ended == std::vector<std::int64_t>{24});
    // Rank 1 is the last to arrive, so it does not wait. Its step ends with the transfer.
    CHECK((traces[1].rank == 1 && traces[1].lengthNs == 23));
    CHECK(traces[1].phase == numbers({Phase::kForward, Phase::kMoving}));
    CHECK(traces[1].at == std::vector<std::int64_t>{0, 20});
    CHECK(traces[1].ended == std::vector<std::int64_t>{23});
    CHECK((traces[0].hasEqualColumnLengths() && traces[1].hasEqualColumnLengths()));
}

TEST_CASE("each rank begins a step when it has ended the one before and the gap") {
    StepPlayer player(2);
    std::vector<StepTrace> traces;
    player.play(oneCollective());
    player.pause({1, 2});  // rank 0 begins at 26, rank 1 at 25
    player.record(&traces);
    CHECK(player.play(oneCollective()) == 50);  // rank 1 arrives at 45
    CHECK((traces[0].beginNs == 26 && traces[0].lengthNs == 24));
    CHECK((traces[1].beginNs == 25 && traces[1].lengthNs == 23));
    CHECK(traces[0].last == std::vector<std::int64_t>{19});
    player.record(nullptr);
    player.pause({100});
    CHECK(player.play(oneCollective()) == 100 + 48 + 25);
    CHECK(traces[0].beginNs == 26);
    StepPlayer later(2);
    later.startAt({30, 0});
    CHECK(later.play(oneCollective()) == 30 + 10 + 2 + 4 + 1);  // rank 0 arrives at 42
}

TEST_CASE("collectives of a rank are processed one after the other") {
    StepPlan plan;
    plan.arrivals = 2;
    plan.ranks.resize(2);
    for (RankPlan& rank : plan.ranks) {
        rank.items = {item(ItemKind::kReady, 0, 0), item(ItemKind::kReady, 0, 1), item(ItemKind::kWait, 0, 1)};
        rank.collectives = {{.meeting = 0, .moveNs = 10}, {.meeting = 1, .delayNs = 3, .moveNs = 5}};
    }
    StepPlayer player(2);
    CHECK(player.play(plan) == 10 + 3 + 5);
    // A rank alone in a collective does not wait.
    plan.ranks[1] = {};
    CHECK(StepPlayer(2).play(plan) == 18);
}

TEST_CASE("a rank that continues at once has no time between the phases") {
    StepPlan plan = oneCollective();
    for (const double rest : {0.5, 0.0}) {
        plan.ranks[0].items.back().ns = rest;
        StepPlayer player(2);
        std::vector<StepTrace> traces;
        player.record(&traces);
        player.play(plan);
        CHECK((traces[0].phase.back() == static_cast<std::int64_t>(Phase::kIdle)) == (rest > 0));
    }
    // A collective that ended before the rank waits for it.
    plan.ranks[0].items[2].ns = 100;
    CHECK(StepPlayer(2).play(plan) == 110);
    // All arrive at the start of the step.
    plan.ranks[0].items = {item(ItemKind::kReady, 0), item(ItemKind::kWait, 0)};
    plan.ranks[1].items = plan.ranks[0].items;
    plan.ranks[0].collectives[0] = plan.ranks[1].collectives[0] = {};
    CHECK(StepPlayer(2).play(plan) == 0);
}

TEST_CASE("a rank can continue once all ranks have arrived") {
    StepPlan plan = oneCollective();
    plan.ranks[0].items.back() = item(ItemKind::kMeet, 2);
    StepPlayer player(2);
    std::vector<StepTrace> traces;
    player.record(&traces);
    CHECK(player.play(plan) == 23);  // the end of rank 1; rank 0 continues at 22
    CHECK(traces[0].lengthNs == 22);
    CHECK(traces[0].phase == numbers({Phase::kForward, Phase::kBackward, Phase::kWaiting}));
}

TEST_CASE("a message arrives its time after it was sent, and its receiver waits for it") {
    StepPlan plan;
    plan.messages = {{.moveNs = 3}};
    plan.ranks.resize(2);
    plan.ranks[0].items = {workFor(Phase::kForward, 5), item(ItemKind::kSend, 0)};
    plan.ranks[1].items = {item(ItemKind::kReceive, 1), workFor(Phase::kForward, 2)};
    CHECK(StepPlayer(2).play(plan) == 5 + 3 + 1 + 2);
    // A message can be sent at the start of the step.
    plan.ranks[0].items = {item(ItemKind::kSend, 0)};
    CHECK(StepPlayer(2).play(plan) == 3 + 1 + 2);
    plan.ranks[0].items = {workFor(Phase::kForward, 5), item(ItemKind::kSend, 0)};
    // A receiver that comes later finds the message.
    plan.ranks[1].items = {workFor(Phase::kForward, 10), item(ItemKind::kReceive, 1)};
    std::vector<StepTrace> traces;
    StepPlayer player(2);
    player.record(&traces);
    CHECK(player.play(plan) == 11);
    CHECK(traces[1].phase == numbers({Phase::kForward, Phase::kWaiting}));
    CHECK(traces[1].at == std::vector<std::int64_t>{0, 10});
    // The sender comes after the receiver in the list of ranks, or never sends.
    std::swap(plan.ranks[0], plan.ranks[1]);
    CHECK(StepPlayer(2).play(plan) == 11);
    plan.ranks[1].items = {workFor(Phase::kForward, 5)};
    CHECK(StepPlayer(2).play(plan) == 10);
}
