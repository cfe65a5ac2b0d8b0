// SPDX-License-Identifier: Apache-2.0
// Made-up figures: a link that takes 5 s in total, of which 100 ms for 1 MB, has a rate of 80 Mbit/s.
#include "telemetry/data/host_links.h"

#include "support/catch.h"

using namespace ringside;

namespace {

constexpr std::int64_t kLengthUs = 5'000'000;

struct ReportedLink {
    int rank;
    int peer;
    std::int64_t roundTripUs;
    std::int64_t bytes;
    std::int64_t busyUs;
    std::int64_t waitUs = -1;  // -1: as long as busyUs
};

// Returns a run with hosts by rank, steps of `stepMs`, and reports of some ranks.
RunData runOf(const std::vector<std::string>& hosts, std::int64_t stepMs, const std::vector<ReportedLink>& reported) {
    RunData run;
    RunStarted started;
    started.worldSize = static_cast<int>(hosts.size());
    started.stepsPerEpoch = 100;
    started.epochs = 1;
    run.apply(started);
    for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
        RankState state;
        state.rank = static_cast<int>(rank);
        state.state = RankStage::kTraining;
        state.host = hosts[rank];
        run.apply(state);
    }
    for (std::int64_t number = 1; number <= 50; ++number) {
        for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
            StepsFrame frame;
            frame.rank = static_cast<int>(rank);
            frame.step = {number};
            frame.loss = {1};
            frame.samples = {1};
            frame.endUs = {number * stepMs * 1000};
            run.apply(frame);
        }
    }
    for (const ReportedLink& one : reported) {
        RankLinks links = run.ranks()[static_cast<std::size_t>(one.rank)].links.value_or(RankLinks{.rank = one.rank});
        links.peer.push_back(one.peer);
        links.roundTripUs.push_back(one.roundTripUs);
        links.bytes.push_back(one.bytes);
        links.busyUs.push_back(one.busyUs);
        links.waitUs.push_back(one.waitUs < 0 ? one.busyUs : one.waitUs);
        links.lengthUs = kLengthUs;
        run.apply(links);
    }
    return run;
}

// Adds the same report for both directions of a link.
void both(std::vector<ReportedLink>& reported, int a, int b, std::int64_t roundTripUs, std::int64_t bytes,
          std::int64_t busyUs) {
    reported.push_back({a, b, roundTripUs, bytes, busyUs});
    reported.push_back({b, a, roundTripUs, bytes, busyUs});
}

}  // namespace

TEST_CASE("a host with a twelfth of the other hosts' bandwidth is named") {
    std::vector<ReportedLink> reported;
    both(reported, 0, 1, 200, 90'000'000, 750'000);  // 960 Mbit/s
    both(reported, 0, 2, 2100, 7'500'000, 750'000);  // 80 Mbit/s, 15 % of the time
    both(reported, 1, 2, 2100, 7'500'000, 750'000);
    const auto links = hostLinks(runOf({"", "node1", "node2"}, 40, reported));
    REQUIRE(links.size() == 3);
    CHECK(links[0].slow == HostLink::Slow::kNo);
    CHECK(links[1].slow == HostLink::Slow::kNo);
    CHECK(links[1].text() == "0.2 ms round trip, 960 Mbit/s");
    CHECK(links[2].host == "node2");
    CHECK(links[2].rank == 2);
    CHECK(links[2].slow == HostLink::Slow::kNarrow);
    CHECK(links[2].timesSlower == Approx(12));
    CHECK(links[2].fullText() ==
          "2.1 ms round trip, 80 Mbit/s: 12 times slower than the median link of the other hosts");
}

TEST_CASE("a link with a third of the other links' rate, or with hardly any traffic, is not slow") {
    std::vector<ReportedLink> third;
    both(third, 0, 1, 200, 90'000'000, 750'000);
    both(third, 0, 2, 200, 30'000'000, 750'000);  // 320 Mbit/s
    CHECK(hostLinks(runOf({"", "b", "c"}, 40, third))[2].slow == HostLink::Slow::kNo);
    std::vector<ReportedLink> rare;
    both(rare, 0, 1, 200, 90'000'000, 750'000);
    both(rare, 0, 2, 200, 4'000'000, 400'000);  // 80 Mbit/s, 8 % of the time
    const auto links = hostLinks(runOf({"", "b", "c"}, 40, rare));
    CHECK(links[2].mbitPerSecond == Approx(80));
    CHECK(links[2].inFlightShare == Approx(0.08));
    CHECK(links[2].slow == HostLink::Slow::kNo);
}

TEST_CASE("hosts with transfers too short to measure a rate count as fast") {
    std::vector<ReportedLink> reported;
    both(reported, 0, 1, 200, 2'000'000, 8000);  // 2 MB in at most 20 ms: at least 800 Mbit/s
    both(reported, 0, 2, 200, 7'500'000, 750'000);
    both(reported, 1, 2, 200, 7'500'000, 750'000);
    const auto links = hostLinks(runOf({"", "b", "c"}, 40, reported));
    CHECK(links[1].text() == "0.2 ms round trip");
    CHECK(links[2].fullText() ==
          "0.2 ms round trip, 80 Mbit/s: 10 times slower than the median link of the other hosts");
}

TEST_CASE("a link is as fast as its slower direction, and ranks that share it add up") {
    const auto links = hostLinks(runOf({"", "", "b", "b"}, 40,
                                       {{0, 2, 300, 8'000'000, 400'000},
                                        // Both together transfer 16 MB in 0.4 s: 320 Mbit/s.
                                        {1, 3, 250, 8'000'000, 320'000},
                                        {2, 0, 310, 4'000'000, 400'000},  // the opposite direction: 80 Mbit/s
                                        // Within one host, so not a link between hosts.
                                        {0, 1, 1, 1, 1}}));
    REQUIRE(links.size() == 1);
    CHECK(links[0].host == "b");
    CHECK(links[0].rank == 2);
    CHECK(links[0].roundTripMs == Approx(0.25));
    CHECK(links[0].mbitPerSecond == Approx(80));
    CHECK(links[0].inFlightShare == Approx(0.08));
}

TEST_CASE("between two hosts a link is slow if transfers take most of the time") {
    std::vector<ReportedLink> reported;
    both(reported, 0, 1, 400, 31'500'000, 3'150'000);
    const auto links = hostLinks(runOf({"", "b"}, 40, reported));
    REQUIRE(links.size() == 1);
    CHECK(links[0].fullText() == "0.4 ms round trip, 80 Mbit/s: bytes are in transfer 63 % of the time");
    std::vector<ReportedLink> half;
    both(half, 0, 1, 400, 25'000'000, 2'500'000);
    CHECK(hostLinks(runOf({"", "b"}, 40, half))[0].slow == HostLink::Slow::kNo);
}

TEST_CASE("a receiver that computes, and acknowledges late, does not make a link slow") {
    // Rank 1 is slow, and reads its bytes when they have all arrived. The slow direction is from rank 0 to rank 1,
    // about which rank 1 reports the waits.
    const auto linkAt = [](std::int64_t bytes, std::int64_t waitUs) {
        return hostLinks(runOf({"", "b"}, 33, {{0, 1, 10, bytes, 3'100'000}, {1, 0, 10, bytes, 30'000, waitUs}}))[0];
    };
    for (const std::int64_t bytes : {5'812'500, 100'000'000}) {  // 38 kB and 660 kB per step
        CHECK(linkAt(bytes, 3'000'000).slow == HostLink::Slow::kNarrow);
        CHECK(linkAt(bytes, 620'000).slow == HostLink::Slow::kNarrow);  // a fifth of the time with bytes in flight
        CHECK(linkAt(bytes, 619'999).slow == HostLink::Slow::kNo);
        CHECK(linkAt(bytes, 0).text() == "0.01 ms round trip");  // no rate is known
    }
}

TEST_CASE("a report without waits, of an older version, contains no rate") {
    RunData run = runOf({"", "b"}, 33, {{0, 1, 10, 5'812'500, 3'100'000}, {1, 0, 10, 5'812'500, 3'100'000}});
    REQUIRE(hostLinks(run)[0].mbitPerSecond == Approx(15));
    for (const int rank : {0, 1}) {
        RankLinks links = *run.ranks()[static_cast<std::size_t>(rank)].links;
        links.waitUs.clear();
        run.apply(links);
    }
    CHECK(hostLinks(run)[0].mbitPerSecond == 0);
}

TEST_CASE("a host is compared with the median of the other hosts, of an odd and of an even number") {
    // Several hosts. The link between two of them has the lower of their two rates.
    const auto timesOf = [](const std::vector<std::int64_t>& mbit) {
        std::vector<ReportedLink> reported;
        for (int a = 0; a < static_cast<int>(mbit.size()); ++a)
            for (int b = a + 1; b < static_cast<int>(mbit.size()); ++b)
                both(reported, a, b, 200,
                     std::min(mbit[static_cast<std::size_t>(a)], mbit[static_cast<std::size_t>(b)]) * 125'000,
                     1'000'000);
        std::vector<std::string> hosts;
        for (std::size_t i = 0; i < mbit.size(); ++i) hosts.push_back("node" + std::to_string(i));
        return hostLinks(runOf(hosts, 40, reported)).back().timesSlower;
    };
    CHECK(timesOf({800, 800, 400, 50}) == Approx(16));       // 400, 800 and 800
    CHECK(timesOf({800, 800, 400, 400, 50}) == Approx(12));  // 400, 400, 800 and 800: between the middle ones
    CHECK(timesOf({800, 800, 400, 150}) == Approx(800 / 150.0));
}

TEST_CASE("a transfer of 20 ms is long enough to measure a rate") {
    const auto rateAt = [](std::int64_t busyUs) {
        std::vector<ReportedLink> reported;
        both(reported, 0, 1, 200, 2'000'000, busyUs);
        return hostLinks(runOf({"", "b"}, 40, reported))[0].mbitPerSecond;
    };
    CHECK(rateAt(20'000) == Approx(800));
    CHECK(rateAt(19'999) == 0);
}

TEST_CASE("a link is far when a round trip takes more than a tenth of a step and a millisecond") {
    const auto slowAt = [](std::int64_t roundTripUs, std::int64_t stepMs) {
        return hostLinks(runOf({"", "b"}, stepMs, {{1, 0, roundTripUs, 4000, 100}}))[0];
    };
    CHECK(slowAt(2100, 10).slow == HostLink::Slow::kFar);
    CHECK(slowAt(2100, 10).fullText() == "2.1 ms round trip: a round trip takes 21 % of a step");
    CHECK(slowAt(9940, 10).text() == "9.9 ms round trip");
    CHECK(slowAt(9950, 10).text() == "10 ms round trip");
    CHECK(slowAt(2100, 21).slow == HostLink::Slow::kNo);  // a tenth of the step
    CHECK(slowAt(2100, 20).slow == HostLink::Slow::kFar);
    CHECK(slowAt(1000, 2).slow == HostLink::Slow::kNo);  // half of the step, but not longer than on any network
    CHECK(slowAt(1100, 2).slow == HostLink::Slow::kFar);
}

TEST_CASE("on one host, and before the first report, there is no statement about links") {
    CHECK(hostLinks(runOf({"", ""}, 40, {{0, 1, 20, 1000, 30'000}})).empty());
    CHECK(hostLinks(runOf({"", "b"}, 40, {})).empty());
    CHECK(hostLinks(RunData()).empty());
}

TEST_CASE("an unknown peer changes nothing") {
    RunData run = runOf({"", "b"}, 40, {{1, 0, 2000, 4000, 100}});
    run.apply(RankLinks{0, {7}, {1}, {1}, {1}, {1}, kLengthUs, 0});
    REQUIRE(hostLinks(run).size() == 1);
    CHECK(hostLinks(run)[0].roundTripMs == Approx(2));
}
