// SPDX-License-Identifier: Apache-2.0
// Tests of the small classes that the data of a run consists of.
#include "support/catch.h"
#include "telemetry/curves/throughput.h"
#include "telemetry/data/dropped_text.h"
#include "telemetry/data/missing_ranks.h"
#include "telemetry/data/phase_sums.h"
#include "telemetry/data/run_pauses.h"
#include "telemetry/events/clock_text.h"
#include "telemetry/steps/collective_trace.h"
#include "telemetry/steps/step_ring.h"

using namespace ringside;

TEST_CASE("times of clocks are milliseconds with a sign, and seconds from ten on") {
    const auto moved = [](std::int64_t us) {
        const std::string text = clockText(HostClock{.movedUs = us});
        return text.substr(0, text.find(','));
    };
    CHECK(clockText(HostClock{.movedUs = 1840, .errorUs = 60, .roundTripUs = 120}) ==
          "+1.84 ms, uncertainty 0.06 ms, round trip 0.12 ms");
    CHECK(moved(0) == "+0.00 ms");
    CHECK(moved(-1840) == "-1.84 ms");
    CHECK(moved(9'999'990) == "+9999.99 ms");
    CHECK(moved(10'000'000) == "+10.00 s");
    CHECK(moved(-12'500'000) == "-12.50 s");
    CHECK(clockText("", HostClock{.rank = 3}).starts_with("rank 3 +0.00 ms"));
    CHECK(clockText("node1", HostClock{.rank = 3}).starts_with("node1 +0.00 ms"));
}

TEST_CASE("dropped telemetry is counted in words") {
    CHECK(droppedText(0, 0).empty());
    CHECK(droppedText(0, 1) == "1 event");
    CHECK(droppedText(1, 0) == "1 step");
    CHECK(droppedText(12, 3) == "12 steps and 3 other events");
    CHECK(droppedText(2, 1) == "2 steps and 1 other event");
}

TEST_CASE("a pause lasts from its command to the next one that continues") {
    RunPauses pauses;
    const auto add = [&pauses](ControlKind command, std::int64_t timeUs, double value = 0) {
        pauses.add({.command = command, .value = value, .timeUs = timeUs});
    };
    CHECK((!pauses.isPaused() && pauses.pausedUs(500) == 0));
    add(ControlKind::kResume, 50);
    CHECK(pauses.pausedUs(500) == 0);
    add(ControlKind::kPause, 100);
    CHECK((pauses.isPaused() && pauses.pausedUs(150) == 50 && pauses.pausedUs(90) == 0));
    add(ControlKind::kPause, 200);  // already paused
    CHECK(pauses.pausedUs(250) == 150);
    add(ControlKind::kResume, 300);
    CHECK((!pauses.isPaused() && pauses.pausedUs(900) == 200));
    std::int64_t total = 200;
    for (const ControlKind continues : {ControlKind::kStep, ControlKind::kPhase, ControlKind::kStop}) {
        add(ControlKind::kPause, 1000);
        add(ControlKind::kEpochs, 1005, 7);
        CHECK(pauses.isPaused());
        add(continues, 1010);
        total += 10;
        CHECK((!pauses.isPaused() && pauses.pausedUs(2000) == total));
    }
    CHECK(pauses.epochs() == 7);
    add(ControlKind::kPause, 1000);
    add(ControlKind::kResume, 900);  // out of order
    CHECK(pauses.pausedUs(2000) == total);
    CHECK(pauses.controls().size() == 15);
}

TEST_CASE("ranks show their phases while paused and in slow motion") {
    RunPauses pauses;
    CHECK_FALSE(pauses.showsPhases());
    pauses.add({.command = ControlKind::kRate, .value = 5});
    CHECK((pauses.showsPhases() && pauses.rate() == 5));
    pauses.add({.command = ControlKind::kRate, .value = 5.5});
    CHECK_FALSE(pauses.showsPhases());
    pauses.add({.command = ControlKind::kRate, .value = 0});
    CHECK_FALSE(pauses.showsPhases());
    pauses.add({.command = ControlKind::kPause});
    CHECK(pauses.showsPhases());
}

TEST_CASE("a throughput is that of the marks within its window") {
    Throughput throughput(64'000);  // stores marks (times with counts) at least 1 ms apart
    throughput.add(0, 0, 0);
    CHECK((!throughput.samplesPerSecond() && !throughput.stepsPerSecond()));
    throughput.add(1'000, 10, 1);
    CHECK(*throughput.samplesPerSecond() == Approx(10'000));
    CHECK(*throughput.stepsPerSecond() == Approx(1'000));
    throughput.add(1'000, 50, 5);  // ignored: not later than the last mark
    CHECK(*throughput.samplesPerSecond() == Approx(10'000));
    throughput.add(1'500, 20, 2);
    throughput.add(1'800, 30, 3);  // replaces the mark at 1,500
    CHECK(*throughput.samplesPerSecond() == Approx(30 / 0.0018));
    throughput.add(65'799, 100, 10);  // the mark at 1,000 is outside the window, that at 1,800 within
    CHECK(*throughput.samplesPerSecond() == Approx((100 - 10) / 0.064799));
    CHECK(*throughput.stepsPerSecond() == Approx((10 - 1) / 0.064799));
    throughput.add(70'000, 110, 12);
    CHECK(*throughput.samplesPerSecond() == Approx((110 - 30) / 0.0682));
}

TEST_CASE("a ring of records is full at a power of two") {
    StepRing ring(3);
    StepRecord record;
    CHECK((ring.front() == nullptr && !ring.pop(record)));
    for (std::int64_t step = 0; step < 4; ++step) CHECK(ring.push({.step = step}));
    CHECK_FALSE(ring.push({.step = 4}));
    CHECK((ring.pushed() == 4 && ring.popped() == 0));
    CHECK(ring.front()->step == 0);
    CHECK((ring.pop(record) && record.step == 0));
    CHECK(ring.push({.step = 4}));
    for (std::int64_t step = 1; step < 5; ++step) CHECK((ring.pop(record) && record.step == step));
    CHECK((ring.pushed() == 5 && ring.popped() == 5 && !ring.pop(record)));
    StepRing smallest(0);
    CHECK((smallest.push({}) && smallest.push({}) && !smallest.push({})));
}

TEST_CASE("a trace of collectives keeps its capacity from its start to its stop") {
    PhaseTrack phases;
    CollectiveTrace trace(phases, 2);
    trace.add(CollectiveStamp{.number = 1});
    CHECK((!trace.active() && trace.collectives().empty()));
    trace.startRecording();
    for (std::int64_t number = 2; number < 5; ++number) {
        trace.add(CollectiveStamp{.number = number});
        trace.add(MessageStamp{.number = number});
    }
    CHECK((trace.active() && trace.collectives().size() == 2 && trace.messages().size() == 2));
    CHECK((trace.collectives()[0].number == 2 && trace.messages()[1].number == 3));
    trace.stopRecording();
    CHECK((!trace.active() && trace.collectives().size() == 2));
    trace.startRecording();
    CHECK((trace.collectives().empty() && trace.messages().empty()));
}

TEST_CASE("phases have the names of the format, and older names are read") {
    for (int phase = 0; phase < kPhaseCount; ++phase)
        CHECK(phaseNamed(phaseName(static_cast<Phase>(phase))) == static_cast<Phase>(phase));
    CHECK((phaseName(Phase::kConnect) == "connect" && phaseName(Phase::kIdle) == "idle"));
    CHECK(phaseNamed("all-reduce") == Phase::kWaiting);
    CHECK(phaseNamed("save") == Phase::kCheckpoint);
    CHECK_FALSE(phaseNamed("sleep"));
    for (const Phase work : {Phase::kCopy, Phase::kForward, Phase::kBackward, Phase::kWaiting, Phase::kMoving,
                             Phase::kOptimizer, Phase::kValidation})
        CHECK(isWork(work));
    for (const Phase other : {Phase::kConnect, Phase::kDataWait, Phase::kCheckpoint, Phase::kPaused, Phase::kIdle})
        CHECK_FALSE(isWork(other));
}

TEST_CASE("severities have the names of the format") {
    CHECK((severityName(Severity::kMistake) == "mistake" && severityName(Severity::kCost) == "cost"));
    CHECK((severityNamed("note") == Severity::kNote && !severityNamed("joke")));
}

TEST_CASE("at most four missing ranks are named") {
    MissingRanks missing;
    missing.missing = {1, 2, 3, 4};
    missing.sinceUs = 1'000'000;
    missing.phase = Phase::kForward;
    missing.seenUs = 2'500'000;
    CHECK(missing.text(4'000'000) == "ranks 1, 2, 3, 4 have been missing for 3 s, last reported in forward 1 s ago");
    missing.missing = {1, 2, 3, 4, 5, 6};
    CHECK(missing.text(4'000'000).starts_with("ranks 1, 2, 3, 4 and 2 more have been missing for 3 s"));
    missing.missing = {7};
    CHECK(missing.text(500'000) == "rank 7 has been missing for 0 s, last reported in forward 0 s ago");
}

TEST_CASE("a rank counts as missing after a second, and as arrived by a heartbeat of the last second") {
    const auto rankIn = [](Phase phase, std::int64_t collective, std::int64_t beatUs, std::int64_t stalledUs) {
        RankData rank;
        rank.state = RankStage::kTraining;
        rank.phase = phase;
        rank.collective = collective;
        rank.beatUs = beatUs;
        rank.stalledUs = stalledUs;
        return rank;
    };
    constexpr std::int64_t kSecond = 1'000'000;
    const RankData computing = rankIn(Phase::kBackward, 40, 8 * kSecond, 0);
    CHECK(findMissingRanks({rankIn(Phase::kWaiting, 41, 10 * kSecond, kSecond), computing}));
    CHECK_FALSE(findMissingRanks({rankIn(Phase::kWaiting, 41, 10 * kSecond, kSecond - 1), computing}));
    CHECK_FALSE(findMissingRanks({rankIn(Phase::kForward, 41, 10 * kSecond, kSecond), computing}));
    RankData over = rankIn(Phase::kWaiting, 41, 10 * kSecond, kSecond);
    for (const RankStage stage : {RankStage::kFinished, RankStage::kStopped, RankStage::kFailed}) {
        over.state = stage;
        CHECK_FALSE(findMissingRanks({over, computing}));
    }
    // Rank 1 is in the same collective, according to a heartbeat that is up to 1 s old.
    const RankData waiting = rankIn(Phase::kWaiting, 41, 10 * kSecond, 2 * kSecond);
    const auto missingWith = [&](const RankData& second) {
        const auto found = findMissingRanks({waiting, second, computing});
        return found ? found->missing : std::vector<int>{};
    };
    CHECK(missingWith(rankIn(Phase::kMoving, 41, 9 * kSecond + 1, 0)) == std::vector<int>{2});
    CHECK(missingWith(rankIn(Phase::kMoving, 41, 9 * kSecond, 0)) == std::vector<int>{1, 2});
    CHECK(missingWith(rankIn(Phase::kMoving, 40, 10 * kSecond, 0)) == std::vector<int>{1, 2});
    // A paused rank is neither missing nor waiting, if its heartbeat is less than 5 s old.
    CHECK(missingWith(rankIn(Phase::kPaused, 40, 5 * kSecond + 1, 0)) == std::vector<int>{2});
    CHECK(missingWith(rankIn(Phase::kPaused, 40, 5 * kSecond, 0)) == std::vector<int>{1, 2});
    // A later heartbeat shows that rank 1 advances, in the collective or beyond it, so no rank is missing.
    const auto late = [&](std::int64_t beatUs, std::int64_t stalledUs, std::int64_t collective) {
        return findMissingRanks({waiting, rankIn(Phase::kForward, collective, beatUs, stalledUs)}).has_value();
    };
    CHECK_FALSE(late(9 * kSecond + 1, 0, 41));  // the wait began at 8 s
    CHECK(late(9 * kSecond, 0, 41));
    CHECK(late(9 * kSecond + 1, kSecond, 41));
    CHECK(late(9 * kSecond + 1, 0, 40));
}

TEST_CASE("traced times are means over the ranks, with the end of the last one") {
    PhaseSums sums(2);
    std::vector<PhaseSums::Step> seen;
    const auto add = [&](std::vector<std::int64_t> traced, std::int64_t ns, std::int64_t endUs) {
        StepsFrame frame;
        frame.epoch = 3;
        frame.step = {4, 5, 6};
        frame.endUs = {endUs, endUs + 1, endUs + 2};
        frame.phaseNs[static_cast<std::size_t>(Phase::kForward)].assign(traced.size(), ns);
        frame.traced = std::move(traced);
        sums.add(frame, [&seen](const PhaseSums::Step& step) { seen.push_back(step); });
    };
    add({4, 6}, 2'000'000, 100);
    CHECK(seen.empty());
    add({6}, 6'000'000, 90);
    REQUIRE(seen.size() == 1);
    CHECK((seen[0].step == 6 && seen[0].epoch == 3 && seen[0].endUs == 102));
    CHECK(seen[0].ms[static_cast<std::size_t>(Phase::kForward)] == Approx(4));
    CHECK(seen[0].ms[static_cast<std::size_t>(Phase::kBackward)] == 0);
    add({4}, 2'000'000, 100);  // step 4 was discarded when step 6 was complete
    CHECK(seen.size() == 1);
}

TEST_CASE("marks of a throughput are a 64th of its window apart, from the second mark on") {
    const auto rateOf = [](std::int64_t second, std::int64_t third) {
        Throughput throughput(64'000);
        throughput.add(0, 0, 0);
        throughput.add(second, 10, 1);
        throughput.add(third, 20, 2);
        throughput.add(second + 64'000, 100, 10);  // a mark at `second` would begin the window
        return *throughput.samplesPerSecond();
    };
    CHECK(rateOf(500, 800) == Approx(100 / 0.0645));  // the third mark has replaced the second
    CHECK(rateOf(500, 1'000) == Approx(90 / 0.064));
    CHECK(rateOf(500, 999) == Approx(100 / 0.0645));
}
