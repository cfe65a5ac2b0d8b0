// SPDX-License-Identifier: Apache-2.0
// Tests of each kind of event and its effect on the data of a run.
#include <cmath>

#include "support/catch.h"
#include "telemetry/data/host_links.h"
#include "telemetry/data/logged_curves.h"
#include "telemetry/data/run_data.h"
#include "telemetry/events/step_windows.h"
#include "telemetry/traces/idle_share.h"

using namespace ringside;

namespace {

RunData runWith(int ranks) {
    RunStarted started;
    started.worldSize = ranks;
    started.stepsPerEpoch = 10;
    started.epochs = 4;
    RunData data;
    data.apply(started);
    return data;
}

// Returns steps with a loss of 1, in which 4 of 8 samples are correct.
StepsFrame frameOf(int rank, std::vector<std::int64_t> steps, std::int64_t endUs) {
    StepsFrame frame;
    frame.rank = rank;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        frame.loss.push_back(1);
        frame.correct.push_back(4);
        frame.samples.push_back(8);
        frame.endUs.push_back(endUs + static_cast<std::int64_t>(i));
    }
    frame.step = std::move(steps);
    return frame;
}

// Returns a trace with one span of the forward pass that ends at a collective, which takes no time.
StepTrace arrival(int rank, std::int64_t step, std::int64_t arrivedNs, std::int64_t lengthNs = 100) {
    StepTrace trace;
    trace.rank = rank;
    trace.step = step;
    trace.beginNs = step * 1000;
    trace.lengthNs = lengthNs;
    trace.phase = {static_cast<std::int64_t>(Phase::kForward)};
    trace.at = {0};
    trace.cpu = {0};
    trace.group = {0};
    trace.collective = {step};
    trace.kind = {0};
    trace.bytes = {8};
    trace.ready = trace.arrived = trace.last = trace.ended = {arrivedNs};
    return trace;
}

}  // namespace

TEST_CASE("each rank keeps the latest event of a kind, and other ranks are ignored") {
    RunData data = runWith(2);
    CHECK(data.apply(RankMemory{.rank = 1, .parameters = 5}) == kRanksChanged);
    CHECK(data.apply(RankTraffic{.rank = 1, .bytes = 6}) == kRanksChanged);
    CHECK(data.apply(HostClock{.rank = 1, .movedUs = 7}) == kRanksChanged);
    CHECK(data.apply(RankLinks{.rank = 1}) == kRanksChanged);
    CHECK(data.apply(ThrottleKept{.rank = 1, .kept = false, .times = 3}) == kRanksChanged);
    CHECK(data.apply(LocalResult{.rank = 1, .loss = 8}) == (kRanksChanged | kEpochsChanged));
    const RankData& rank = data.ranks()[1];
    CHECK((rank.memory->parameters == 5 && rank.bytesPerStep == 6 && rank.clock->movedUs == 7 && rank.links));
    CHECK((!rank.keepsThrottle && rank.throttleTimes == 3 && rank.local->loss == 8 && !keepsThrottle(data.ranks())));
    data.apply(ThrottleKept{.rank = 1, .kept = std::nullopt});
    CHECK((rank.keepsThrottle && keepsThrottle(data.ranks())));
    for (const int other : {-1, 2}) {
        CHECK(data.apply(RankMemory{.rank = other}) == 0);
        CHECK(data.apply(LocalResult{.rank = other}) == 0);
        CHECK(data.apply(Heartbeat{.rank = other}) == 0);
        CHECK(data.apply(PhaseReached{.rank = other}) == 0);
        CHECK(data.apply(Consumed{other, 0, 1, ""}) == 0);
        CHECK(data.apply(ConsumedIndices{other, 0, 1, 0, {1}}) == 0);
        CHECK(data.apply(Replica{other, 1, "a"}) == 0);
        CHECK(data.apply(frameOf(other, {1}, 5)) == 0);
    }
    CHECK(data.apply(frameOf(0, {}, 5)) == 0);
    CHECK(data.apply(ConsumedIndices{0, 0, 1, 0, {}}) == 0);
    CHECK(data.apply(LoggedScalar{}) == 0);
    CHECK(data.apply(Finding{}) == 0);
}

TEST_CASE("values that a rank does not report again are kept") {
    RunData data = runWith(1);
    data.apply(RankState{0, RankStage::kStarting, "CPU 0", 9, 5, -1, "node1", "AVX2", "shm", "0 0"});
    data.apply(RankState{0, RankStage::kTraining, "", 0, 3});
    const RankData& rank = data.ranks()[0];
    CHECK(rank.state == RankStage::kTraining);
    CHECK((rank.device == "CPU 0" && rank.pid == 9 && rank.host == "node1" && rank.isa == "AVX2"));
    CHECK((rank.transport == "shm" && rank.hosts == "0 0" && rank.lastSeenUs == 5 && data.lastTimeUs() == 5));
    CHECK(data.apply(Heartbeat{.rank = 0, .residentBytes = 4096, .timeUs = 8, .stalledUs = 2}) == kRanksChanged);
    CHECK((rank.residentBytes == 4096 && rank.beatUs == 8 && rank.stalledUs == 2 && rank.lastSeenUs == 8));
    data.apply(PhaseReached{.rank = 0, .step = 4, .phase = Phase::kBackward, .timeUs = 9, .layer = 2, .action = "0F1"});
    CHECK((rank.step == 3 && rank.slowPhase == Phase::kBackward && rank.slowLayer == 2 && rank.slowAction == "0F1"));
    CHECK(rank.lastSeenUs == 9);
    // A restart resets the position within a step, and nothing else.
    CHECK(data.apply(Controlled{.command = ControlKind::kRestart, .timeUs = 10}) == (kControlChanged | kRanksChanged));
    CHECK((rank.state == RankStage::kStartingAgain && !rank.phase && !rank.slowPhase && rank.step == 3));
    CHECK(data.apply(Controlled{.command = ControlKind::kRate, .value = 2, .timeUs = 10}) == kControlChanged);
    CHECK(data.lastTimeUs() == 10);
}

TEST_CASE("the clocks of four hosts are described, and further hosts are counted") {
    RunData data = runWith(7);
    CHECK(clocksText(data.ranks()).empty());
    for (int rank = 1; rank <= 4; ++rank) {
        RankState state;
        state.rank = rank;
        state.host = rank == 4 ? "" : "node" + std::to_string(rank);
        data.apply(state);
        data.apply(HostClock{.rank = rank, .movedUs = 1000 * rank});
    }
    const std::string end = ", uncertainty 0.00 ms, round trip 0.00 ms";
    const std::string four =
        "node1 +1.00 ms" + end + "; node2 +2.00 ms" + end + "; node3 +3.00 ms" + end + "; rank 4 +4.00 ms" + end;
    CHECK(clocksText(data.ranks()) == four);
    data.apply(HostClock{.rank = 6});
    CHECK(clocksText(data.ranks()) == four + " and 1 more hosts");
}

TEST_CASE("samples of a batch are those of one step of a thinned line") {
    RunData data = runWith(1);
    StepsFrame frame = frameOf(0, {4}, 100);
    data.apply(frame);
    CHECK(data.ranks()[0].batchSamples == 8);
    frame.step = {8};
    frame.endUs = {200};
    frame.from = {5};
    frame.count = {4};
    frame.samples = {32};
    frame.lossMinimum = frame.lossMaximum = {1};
    frame.accuracyMinimum = frame.accuracyMaximum = {0.5};
    data.apply(frame);
    CHECK(data.ranks()[0].batchSamples == 8);
    REQUIRE(data.ranks()[0].lossSeries.points().size() == 2);
    CHECK(data.ranks()[0].lossSeries.points()[1].count == 4);
    CHECK(data.curves().loss().points()[1].count == 4);
    CHECK(data.curves().loss().points()[1].epoch == 0.8);
    // An epoch whose number of steps is not known counts as complete.
    RunData open;
    RunStarted started;
    started.worldSize = 1;
    open.apply(started);
    frame.epoch = 3;
    open.apply(frame);
    CHECK(open.curves().loss().points()[0].epoch == 3);
    CHECK(open.totalSteps() == 0);
}

TEST_CASE("checksums of more than eight incomplete steps are forgotten") {
    RunData data = runWith(2);
    for (std::int64_t step = 1; step <= 9; ++step) data.apply(Replica{0, step, "a"});
    data.apply(Replica{1, 1, "b"});
    CHECK_FALSE(data.ranks()[0].inSync);  // the checksum of rank 0 was forgotten
    data.apply(Replica{1, 2, "b"});
    // If two replicas differ, that of the lower rank counts as the correct one.
    CHECK((data.ranks()[0].inSync == true && data.ranks()[1].inSync == false));
    data.apply(Replica{1, 9, "a"});
    CHECK(data.ranks()[1].inSync == true);
}

TEST_CASE("lists of a run are bounded and lose their older half") {
    RunData data = runWith(1);
    for (std::int64_t step = 1; step <= 10'000; ++step) data.apply(CheckpointSaved{step, "", 0});
    CHECK(data.checkpoints().size() == 10'000);
    data.apply(CheckpointSaved{10'001, "", 0});
    CHECK((data.checkpoints().size() == 5'001 && data.checkpoints().front().step == 5'001));
    for (std::int64_t epoch = 0; epoch <= 100'000; ++epoch) data.apply(Consumed{0, epoch, 1, ""});
    CHECK((data.ranks()[0].consumed.size() == 50'001 && data.ranks()[0].consumedCount == 100'001));
}

TEST_CASE("the end of a run sets its last time, and no step is left after the last one") {
    RunData data = runWith(1);
    for (std::int64_t step = 39; step <= 45; ++step) data.apply(frameOf(0, {step}, 1000 * step));
    CHECK(data.totalSteps() == 40);
    CHECK(*data.secondsLeft() == 0);
    RunEnded ended;
    ended.timeUs = 99'000;
    data.apply(ended);
    CHECK((data.lastTimeUs() == 99'000 && data.ended() && !data.secondsLeft()));
}

TEST_CASE("traced steps are found by number and by time") {
    TraceData data(2);
    CHECK((data.at(5) == nullptr && data.find(1) == nullptr && data.endNs() == 0));
    for (const std::int64_t step : {1, 2, 3}) {
        data.apply(arrival(0, step, 50));
        if (step != 3) data.apply(arrival(1, step, 30, 200));
    }
    CHECK((data.at(500)->step == 1 && data.at(1000)->step == 1 && data.at(1999)->step == 1));
    CHECK((data.at(2000)->step == 2 && data.at(9000)->step == 3));
    CHECK((data.find(2)->beginNs == 2000 && data.find(2)->endNs == 2200 && data.find(4) == nullptr));
    CHECK((data.endNs() == 3100 && data.revision() == 5));
    // Copies complete steps only, the latest first.
    const TraceData one = data.latest(1);
    CHECK((one.steps().size() == 1 && one.find(2) != nullptr && one.endNs() == 3100 && one.revision() == 5));
    CHECK(data.latest(5).steps().size() == 2);
    CHECK_FALSE(data.apply(arrival(2, 4, 50)));
    CHECK_FALSE(data.apply(arrival(-1, 4, 50)));
    StepTrace uneven = arrival(0, 4, 50);
    uneven.bytes.clear();
    CHECK_FALSE(data.apply(uneven));
    // An unfinished step without spans ends at the time at which it began.
    StepTrace open;
    open.step = 5;
    open.beginNs = 7000;
    open.lengthNs = -1;
    CHECK(data.apply(open));
    CHECK((data.find(5)->endNs == 7000 && data.find(5)->known == 0));
}

TEST_CASE("fewer steps are kept for many ranks, but at least one") {
    const auto kept = [](int ranks) {
        TraceData data(ranks, 3);
        for (std::int64_t step = 1; step <= 4; ++step) data.apply(arrival(0, step, 50));
        return data.steps().size();
    };
    CHECK(kept(1) == 3);
    CHECK(kept(65'536) == 2);
    CHECK(kept(131'072) == 1);
    CHECK(kept(200'000) == 1);
}

TEST_CASE("the second arrival at a collective is that of the rank before the last one") {
    const auto secondOf = [](const std::vector<std::int64_t>& arrivals) {
        TraceData data(static_cast<int>(arrivals.size()));
        for (std::size_t rank = 0; rank < arrivals.size(); ++rank)
            data.apply(arrival(static_cast<int>(rank), 1, arrivals[rank]));
        const CollectiveArrivals& meeting = data.find(1)->arrivals.at(0);
        CHECK(meeting.lastNs == 1000 + *std::ranges::max_element(arrivals));
        return std::pair(meeting.lastRank, meeting.secondLastArrivalNs - 1000);
    };
    using Second = std::pair<int, std::int64_t>;
    CHECK(secondOf({20, 35, 50}) == Second{2, 35});
    CHECK(secondOf({50, 20, 35}) == Second{0, 35});
    CHECK(secondOf({50, 35, 20}) == Second{0, 35});
    CHECK(secondOf({20, 50, 35}) == Second{1, 35});
    CHECK(secondOf({20, 50, 50}) == Second{1, 50});
    CHECK(secondOf({50, 50, 20}) == Second{0, 50});
    CHECK(secondOf({50}) == Second{0, 50});
}

TEST_CASE("a step is sharded if parameters are gathered or gradients scattered") {
    const auto isSharded = [](std::int64_t kind, std::int64_t bytes) {
        TraceData data(1);
        StepTrace trace = arrival(0, 1, 50);
        trace.kind = {kind};
        trace.bytes = {bytes};
        data.apply(trace);
        return data.find(1)->isSharded();
    };
    CHECK((isSharded(2, 1) && isSharded(3, 1)));
    CHECK_FALSE((isSharded(0, 1) || isSharded(1, 1) || isSharded(4, 1) || isSharded(2, 0)));
}

TEST_CASE("tags beyond the limit are counted up to a limit") {
    LoggedCurves curves;
    const auto take = [&curves](std::size_t tag, std::int64_t step = 1) {
        return curves.add(LoggedScalar{0, "tag " + std::to_string(tag), step, 1, "loss", 0});
    };
    for (std::size_t tag = 0; tag < LoggedCurves::kMaxTags; ++tag) CHECK(take(tag));
    for (std::size_t tag = 0; tag < LoggedCurves::kMaxLeftOut + 5; ++tag)
        CHECK_FALSE(take(LoggedCurves::kMaxTags + tag));
    CHECK(curves.tagsLeftOut() == LoggedCurves::kMaxLeftOut);
    CHECK(take(0, 1));
    CHECK_FALSE(take(0, 0));
    CHECK(curves.curves().at("tag 0").values.points().size() == 2);
    CHECK((curves.curves().at("tag 0").lastStep == 1 && curves.curves().at("tag 0").source == "loss"));
}

TEST_CASE("a line of windows has 512 entries at most, and numbers of nine digits") {
    StepWindows windows(3);
    std::vector<std::int64_t> steps;
    for (std::int64_t step = 1; step <= 513; ++step) steps.push_back(step);
    StepsFrame frame = frameOf(3, steps, 10);
    frame.loss.assign(513, 2.0 / 3);
    windows.add(frame, 0, StepGrain());
    windows.finish();
    const auto lines = windows.take();
    REQUIRE(lines.size() == 2);
    CHECK((lines[0].step.size() == 512 && lines[1].step.size() == 1 && lines[1].rank == 3));
    CHECK(lines[0].loss[0] == 0.666666667);
    CHECK(windows.take().empty());
}

TEST_CASE("links of hosts have two digits and their units") {
    const auto text = [](double roundTripMs, double mbitPerSecond) {
        HostLink link;
        link.roundTripMs = roundTripMs;
        link.mbitPerSecond = mbitPerSecond;
        return link.text();
    };
    CHECK(text(0.05, 0) == "0.05 ms round trip");
    CHECK(text(0.0994, 0) == "0.10 ms round trip");
    CHECK(text(0.2, 9.94) == "0.2 ms round trip, 9.9 Mbit/s");
    CHECK(text(9.96, 9.96) == "10 ms round trip, 10 Mbit/s");
    CHECK(text(2, 999.4) == "2.0 ms round trip, 999 Mbit/s");
    CHECK(text(2, 999.6) == "2.0 ms round trip, 1.0 Gbit/s");
    CHECK(text(2, 25'000) == "2.0 ms round trip, 25 Gbit/s");
    HostLink link;
    link.roundTripMs = 3;
    link.stepMs = 12;
    CHECK((link.finding().empty() && link.fullText() == "3.0 ms round trip"));
    link.slow = HostLink::Slow::kFar;
    CHECK(link.fullText() == "3.0 ms round trip: a round trip takes 25 % of a step");
    link.slow = HostLink::Slow::kNarrow;
    link.inFlightShare = 0.6;
    CHECK(link.finding() == "bytes are in transfer 60 % of the time");
    link.inFlightShare = 1.5;
    CHECK(link.finding() == "bytes are in transfer 100 % of the time");
    link.timesSlower = 7.6;
    CHECK(link.finding() == "8 times slower than the median link of the other hosts");
}

TEST_CASE("a run of one stage does not idle, and the typical step is the upper median") {
    TraceData data(1);
    CHECK_FALSE(typicalStepSeconds(data));
    for (const std::int64_t step : {1, 2, 3, 4}) data.apply(arrival(0, step, 50, 100 * step));
    CHECK(*typicalStepSeconds(data) == Approx(300e-9));
    CHECK(*measuredIdleShare(data, 1) == 0);
    CHECK(*measuredIdleShare(data, 2) == 0);  // a single pass fills its range
    const PassesTime range = passesTime(*data.find(2));
    CHECK((range.beginNs == 2000 && range.endNs == 2200));
}

TEST_CASE("the accuracy of a step with one sample counts in a window") {
    StepWindows windows(0);
    StepsFrame frame = frameOf(0, {1}, 10);
    frame.samples = {1};
    frame.correct = {1};
    windows.add(frame, 0, StepGrain());
    windows.finish();
    CHECK(windows.take().at(0).accuracyMaximum == std::vector<double>{1});
}
