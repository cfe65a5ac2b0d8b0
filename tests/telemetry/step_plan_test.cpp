// SPDX-License-Identifier: Apache-2.0
#include "telemetry/traces/step_plan.h"

#include "support/catch.h"
#include "telemetry/traces/rank_work.h"

using namespace ringside;
using ItemKind = PlanItem::Kind;

namespace {

struct Expected {
    ItemKind kind;
    double ns;
    Phase phase = Phase::kIdle;
    std::size_t place = 0;
};

void checkItems(const RankPlan& plan, const std::vector<Expected>& expected) {
    REQUIRE(plan.items.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CAPTURE(i);
        CHECK(plan.items[i].kind == expected[i].kind);
        CHECK(plan.items[i].ns == expected[i].ns);
        if (expected[i].kind == ItemKind::kWork) CHECK(plan.items[i].phase == expected[i].phase);
        if (expected[i].kind != ItemKind::kWork) CHECK(plan.items[i].collective == expected[i].place);
    }
}

Span span(Phase phase, std::int64_t from, std::int64_t to) {
    return {.phase = phase, .beginNs = from, .endNs = to};
}

CollectiveSpan collective(std::int64_t number, std::int64_t ready, std::int64_t arrived, std::int64_t last,
                          std::int64_t ended) {
    return {.number = number,
            .kind = 2,
            .bytes = 64,
            .readyNs = ready,
            .arrivedNs = arrived,
            .lastNs = last,
            .endedNs = ended};
}

// Returns a step of these ranks. The collectives (meetings) of the step have the numbers 1 and 2.
TracedStep stepOf(const std::vector<RankTrace>& ranks) {
    TracedStep step;
    step.ranks = ranks;
    step.arrivals.resize(2);
    step.arrivals[0].number = 1;
    step.arrivals[1].number = 2;
    for (RankTrace& rank : step.ranks) rank.endNs = rank.spans.back().endNs;
    return step;
}

}  // namespace

TEST_CASE("work is divided where a collective is requested, and a wait ends with it") {
    RankTrace first;
    first.spans = {span(Phase::kForward, 0, 10), span(Phase::kWaiting, 10, 20), span(Phase::kMoving, 20, 33),
                   span(Phase::kOptimizer, 33, 38)};
    first.collectives = {collective(1, 4, 6, 20, 30)};
    RankTrace second;
    second.spans = {span(Phase::kForward, 0, 20), span(Phase::kMoving, 20, 30)};
    second.collectives = {collective(1, 20, 20, 20, 30)};
    const StepPlan plan = planOf(stepOf({first, second}));
    CHECK(plan.arrivals == 2);
    checkItems(plan.ranks[0], {{ItemKind::kWork, 4, Phase::kForward},
                               {ItemKind::kReady, 0},
                               {ItemKind::kWork, 6, Phase::kForward},
                               {ItemKind::kWait, 3},  // the thread continues 3 ns after the end of the collective
                               {ItemKind::kWork, 5, Phase::kOptimizer}});
    checkItems(plan.ranks[1], {{ItemKind::kWork, 20, Phase::kForward}, {ItemKind::kReady, 0}, {ItemKind::kWait, 0}});
    REQUIRE(plan.ranks[0].collectives.size() == 1);
    CHECK(plan.ranks[0].collectives[0].meeting == 0);
    CHECK(plan.ranks[0].collectives[0].delayNs == 2);
    CHECK(plan.ranks[0].collectives[0].moveNs == 10);
    CHECK(plan.ranks[0].collectives[0].bytes == 64);
    CHECK(plan.ranks[0].collectives[0].kind == 2);
    CHECK(plan.ranks[1].collectives[0].delayNs == 0);
}

TEST_CASE("collectives of a group follow each other, and one wait is divided between them") {
    RankTrace rank;
    rank.spans = {span(Phase::kBackward, 0, 10), span(Phase::kWaiting, 10, 40)};
    rank.collectives = {collective(2, 20, 30, 30, 40), collective(1, 5, 5, 12, 25)};
    const RankPlan plan = planOf(stepOf({rank})).ranks[0];
    checkItems(plan, {{ItemKind::kWork, 5, Phase::kBackward},
                      {ItemKind::kReady, 0, Phase::kIdle, 0},
                      {ItemKind::kWork, 5, Phase::kBackward},
                      {ItemKind::kMeet, 8, Phase::kIdle, 0},  // all have arrived at 12; the next request is at 20
                      {ItemKind::kReady, 0, Phase::kIdle, 1},
                      {ItemKind::kWait, 0, Phase::kIdle, 1}});
    CHECK((plan.collectives[0].meeting == 0 && plan.collectives[0].delayNs == 0 && plan.collectives[0].moveNs == 13));
    // The second collective starts at 25, when the first one has ended.
    CHECK((plan.collectives[1].meeting == 1 && plan.collectives[1].delayNs == 5 && plan.collectives[1].moveNs == 10));
}

TEST_CASE("a wait does not end with a collective that is only requested after it") {
    RankTrace rank;
    rank.spans = {span(Phase::kWaiting, 0, 20), span(Phase::kForward, 20, 25), span(Phase::kWaiting, 25, 40)};
    rank.collectives = {collective(1, 20, 20, 20, 40)};
    checkItems(planOf(stepOf({rank})).ranks[0], {{ItemKind::kWork, 20, Phase::kWaiting},
                                                 {ItemKind::kWork, 0, Phase::kForward},
                                                 {ItemKind::kReady, 0},
                                                 {ItemKind::kWork, 5, Phase::kForward},
                                                 {ItemKind::kWait, 0}});
}

TEST_CASE("collectives that are requested one nanosecond apart each end a wait") {
    RankTrace rank;
    rank.spans = {span(Phase::kWaiting, 0, 40)};
    rank.collectives = {collective(1, 10, 10, 10, 11), collective(2, 11, 11, 11, 40)};
    checkItems(planOf(stepOf({rank})).ranks[0], {{ItemKind::kWork, 10, Phase::kWaiting},
                                                 {ItemKind::kReady, 0, Phase::kIdle, 0},
                                                 {ItemKind::kWait, 0, Phase::kIdle, 0},
                                                 {ItemKind::kReady, 0, Phase::kIdle, 1},
                                                 {ItemKind::kWait, 0, Phase::kIdle, 1}});
}

TEST_CASE("of several collectives that end in a wait the last one ended it") {
    RankTrace rank;
    rank.spans = {span(Phase::kBackward, 0, 10), span(Phase::kWaiting, 10, 40)};
    rank.collectives = {collective(1, 1, 1, 11, 20), collective(2, 2, 2, 21, 38)};
    checkItems(planOf(stepOf({rank})).ranks[0], {{ItemKind::kWork, 1, Phase::kBackward},
                                                 {ItemKind::kReady, 0, Phase::kIdle, 0},
                                                 {ItemKind::kWork, 1, Phase::kBackward},
                                                 {ItemKind::kReady, 0, Phase::kIdle, 1},
                                                 {ItemKind::kWork, 8, Phase::kBackward},
                                                 {ItemKind::kWait, 2, Phase::kIdle, 1}});
}

TEST_CASE("a wait that no event ended is kept as work") {
    RankTrace rank;
    rank.spans = {span(Phase::kForward, 0, 10), span(Phase::kWaiting, 10, 17)};
    checkItems(planOf(stepOf({rank})).ranks[0],
               {{ItemKind::kWork, 10, Phase::kForward}, {ItemKind::kWork, 7, Phase::kWaiting}});
    // A collective that ended when the wait began, one that began after it, and one whose last arrival is not known.
    rank.spans.push_back(span(Phase::kIdle, 17, 50));
    rank.collectives = {collective(1, 2, 2, 3, 10)};
    CHECK(planOf(stepOf({rank})).ranks[0].items[3].kind == ItemKind::kWork);
    rank.collectives = {collective(1, 20, 20, 30, 40)};
    CHECK(planOf(stepOf({rank})).ranks[0].items[1].kind == ItemKind::kWork);
    rank.collectives = {collective(1, 2, 2, -1, 40)};
    CHECK(planOf(stepOf({rank})).ranks[0].items[3].kind == ItemKind::kWork);
    CHECK(planOf(stepOf({rank})).ranks[0].collectives[0].moveNs == 38);
}

TEST_CASE("a rank that moves the bytes itself arrives when it begins to wait") {
    constexpr std::int64_t kUs = 1000;
    RankTrace rank;
    rank.spans = {span(Phase::kBackward, 0, 500 * kUs), span(Phase::kWaiting, 500 * kUs, 900 * kUs)};
    const auto delayOf = [&rank](std::int64_t readyUs, std::int64_t arrivedUs) {
        rank.collectives = {collective(1, readyUs * kUs, arrivedUs * kUs, 700 * kUs, 800 * kUs)};
        return planOf(stepOf({rank})).ranks[0].collectives[0].delayNs / kUs;
    };
    CHECK(delayOf(200, 500) == 0);
    CHECK(delayOf(200, 600) == 0);    // arrival within 100 us of the begin of the wait
    CHECK(delayOf(200, 601) == 401);  // later: the remaining time was spent in the collective itself
    CHECK(delayOf(400, 500) == 100);  // arrival within 100 us of the request
    CHECK(delayOf(399, 500) == 0);
    CHECK(delayOf(200, 450) == 250);  // arrival while the rank computed
}

TEST_CASE("a message delays a receiver that waits for it, and no other") {
    const auto received = [](std::int64_t at, std::int64_t ended) {
        RankTrace sender;
        sender.spans = {span(Phase::kForward, 0, 10), span(Phase::kIdle, 10, 60)};
        sender.messages = {{.peer = 1, .number = 7, .bytes = 32, .isSent = true, .atNs = 10, .endedNs = 11}};
        RankTrace receiver;
        receiver.spans = {span(Phase::kDataWait, 0, at), span(Phase::kWaiting, at, 20), span(Phase::kForward, 20, 40)};
        receiver.messages = {{.peer = 0, .number = 7, .bytes = 32, .atNs = at, .endedNs = ended}};
        return planOf(stepOf({sender, receiver}));
    };
    StepPlan plan = received(5, 18);
    REQUIRE(plan.messages.size() == 1);
    CHECK(plan.messages[0].moveNs == 8);
    CHECK(plan.messages[0].bytes == 32);
    checkItems(plan.ranks[0], {{ItemKind::kWork, 10, Phase::kForward},
                               {ItemKind::kWork, 0, Phase::kIdle},
                               {ItemKind::kSend, 0},
                               {ItemKind::kWork, 50, Phase::kIdle}});
    checkItems(plan.ranks[1], {{ItemKind::kWork, 5, Phase::kDataWait},
                               {ItemKind::kReceive, 2},  // continues 2 ns after the arrival
                               {ItemKind::kWork, 20, Phase::kForward}});
    plan = received(12, 18);
    CHECK(plan.messages[0].moveNs == 0);  // 0: the message had arrived before the receiver waited
    checkItems(
        plan.ranks[1],
        {{ItemKind::kWork, 12, Phase::kDataWait}, {ItemKind::kReceive, 8}, {ItemKind::kWork, 20, Phase::kForward}});
    plan = received(12, 12);
    checkItems(plan.ranks[1], {{ItemKind::kWork, 12, Phase::kDataWait},
                               {ItemKind::kReceive, 0},
                               {ItemKind::kWork, 8, Phase::kWaiting},
                               {ItemKind::kWork, 20, Phase::kForward}});
}

TEST_CASE("a message of which only one end was recorded is not replayed") {
    RankTrace sender;
    sender.spans = {span(Phase::kForward, 0, 10)};
    sender.messages = {{.peer = 1, .number = 7, .isSent = true, .atNs = 5, .endedNs = 6}};
    RankTrace other = sender;
    other.messages = {{.peer = 0, .number = 8, .atNs = 5, .endedNs = 6}};
    const StepPlan plan = planOf(stepOf({sender, other}));
    CHECK(plan.messages.empty());
    CHECK((plan.ranks[0].items.size() == 1 && plan.ranks[1].items.size() == 1));
}

TEST_CASE("work is counted by phase, and the excess is what exceeds the other ranks' upper median") {
    StepPlan plan;
    for (const double forward : {10.0, 4.0, 6.0}) {
        RankPlan rank;
        rank.items = {{ItemKind::kWork, Phase::kForward, forward - 1, 0},
                      {ItemKind::kWork, Phase::kForward, 1, 0},
                      {ItemKind::kWait, Phase::kForward, 50, 0},
                      {ItemKind::kWork, Phase::kDataWait, forward, 0},
                      {ItemKind::kWork, Phase::kWaiting, forward, 0}};
        plan.ranks.push_back(rank);
    }
    const auto excess = [&plan](Phase phase, std::size_t rank, double error = 0) {
        return excessWork(plan, workOf(plan), rank, {.planError = error})[static_cast<std::size_t>(phase)];
    };
    CHECK(workOf(plan)[1][static_cast<std::size_t>(Phase::kForward)] == 4);
    CHECK(excess(Phase::kForward, 0) == 4);  // above 6, the upper of 4 and 6
    CHECK(excess(Phase::kForward, 2) == 0);
    CHECK(excess(Phase::kForward, 0, 0.5) == 4);
    CHECK(excess(Phase::kForward, 0, 0.75) == 0);
    CHECK(excess(Phase::kDataWait, 0, 0.75) == 4);  // the plan has no times for other phases
    CHECK(excess(Phase::kWaiting, 0) == 0);
    CHECK(largestPlanErrorFactor(plan, workOf(plan), 0) == Approx(1.5));  // 6 instead of 4
    CHECK(largestPlanErrorFactor(plan, workOf(plan), 2) == Approx(2.5));  // 10 instead of 4
    plan.ranks[0].planned.compute = 0.5;
    plan.ranks[1].planned.compute = plan.ranks[2].planned.compute = 0.25;
    CHECK(excess(Phase::kForward, 0) == 0);  // twice the work of the others is planned
    CHECK(excess(Phase::kDataWait, 0) == 4);
    CHECK(largestPlanErrorFactor(plan, workOf(plan), 2) == Approx(1.25));  // 10 instead of twice 4, and 4 instead of 5
    plan.ranks[1].planned.compute = 0.125;
    const auto at = static_cast<std::size_t>(Phase::kForward);
    plan.ranks[1].items[0].ns = 29;                                                   // rank 1 takes 30
    CHECK(excessWork(plan, workOf(plan), 1)[at] == 20);                               // as long as rank 0, 10
    CHECK(excessWork(plan, workOf(plan), 1, {.isFasterIfSmaller = true})[at] == 27);  // a half of rank 2's 6
    CHECK(excessWork(plan, workOf(plan), 1, {.scale = 2})[at] == 10);
    plan.ranks.resize(2);
    CHECK(largestPlanErrorFactor(plan, workOf(plan), 0) == Approx(1.5));  // not known
    plan.ranks.resize(1);
    CHECK(excess(Phase::kForward, 0) == 0);
    std::vector<double> values = {3, 1, 2, 4};
    CHECK(upperMedianOf(values) == 3);
    values = {5};
    CHECK(upperMedianOf(values) == 5);
}

TEST_CASE("excess work is removed from the longest pieces first") {
    const auto pieces = [](double excessNs) {
        RankPlan rank;
        rank.items = {{ItemKind::kWork, Phase::kForward, 5, 0},
                      {ItemKind::kWork, Phase::kBackward, 30, 0},
                      {ItemKind::kWait, Phase::kForward, 40, 0},
                      {ItemKind::kWork, Phase::kForward, 1, 0},
                      {ItemKind::kWork, Phase::kForward, 9, 0}};
        PhaseWork excess{};
        excess[static_cast<std::size_t>(Phase::kForward)] = excessNs;
        removeWork(rank, excess);
        CHECK((rank.items[1].ns == 30 && rank.items[2].ns == 40));
        return std::vector<double>{rank.items[0].ns, rank.items[3].ns, rank.items[4].ns};
    };
    CHECK(pieces(0) == std::vector<double>{5, 1, 9});
    CHECK(pieces(3) == std::vector<double>{5, 1, 6});
    CHECK(pieces(6) == std::vector<double>{4, 1, 4});
    CHECK(pieces(13.5) == std::vector<double>{0.5, 0.5, 0.5});
    CHECK(pieces(20) == std::vector<double>{0, 0, 0});
}
