// SPDX-License-Identifier: Apache-2.0
#include "run/ranks/host_clocks.h"

#include "base/json/json.h"
#include "launch/wire/greeting.h"
#include "support/catch.h"

using namespace ringside;

namespace {

constexpr std::int64_t kSecond = 1'000'000;
constexpr std::int64_t kEpoch = 40 * kSecond;  // zero of the run's times, on its host's clock

TimeQuery queryIn(const std::string& line) {
    REQUIRE(line.back() == '\n');
    const auto query = decodeTimeQuery(std::string_view(line).substr(0, line.size() - 1));
    REQUIRE(query);
    return *query;
}

// Ranks 0 and 1 on the run's host, 2 and 3 on one whose clock is 5 s ahead, 4 on one that is 2 s behind.
struct FakeHosts {
    const std::vector<int> hosts{0, 0, 1, 1, 2};
    HostClocks clocks{hosts, kEpoch};
    std::int64_t nowUs = 50 * kSecond;
    std::int64_t driftedUs = 0;  // drift of the clock of the host of ranks 2 and 3, in microseconds

    std::int64_t remoteUs(int rank, std::int64_t us) const {
        return rank == 4 ? us - 2 * kSecond : us + 5 * kSecond + driftedUs;
    }
    // Answers all queries. A message takes 100 us in each direction, for rank 3 it takes 30 us.
    std::vector<HostClocks::Query> answerQueries() {
        const auto queries = clocks.queries(nowUs);
        for (const auto& query : queries) {
            CHECK(queryIn(query.line).sentUs == nowUs);
            const std::int64_t delayUs = query.rank == 3 ? 30 : 100;
            clocks.addReading(query.rank, {nowUs, remoteUs(query.rank, nowUs + delayUs), nowUs + 2 * delayUs});
        }
        return queries;
    }
    void answerInitialQueries(int answered = 0) {
        for (int i = answered; i < HostClocks::kInitialQueries; ++i, nowUs += HostClocks::kInitialIntervalUs)
            REQUIRE(answerQueries().size() == 3);
    }
};

}  // namespace

TEST_CASE("clocks of other hosts are queried often at first and then every five seconds") {
    FakeHosts all;
    const auto first = all.answerQueries();
    REQUIRE(first.size() == 3);
    CHECK(first[0].rank == 2);
    CHECK(first[1].rank == 3);
    CHECK(first[2].rank == 4);
    CHECK_FALSE(queryIn(first[0].line).zeroUs);
    CHECK(all.clocks.queries(all.nowUs + 99'999).empty());
    all.nowUs += 100'000;
    all.answerInitialQueries(1);
    CHECK(all.answerQueries().empty());
    all.nowUs += 5 * kSecond;
    CHECK(all.answerQueries().size() == 3);
    CHECK(HostClocks({}, kEpoch).queries(0).empty());
    CHECK(HostClocks(std::vector<int>{0, 0}, kEpoch).queries(0).empty());
}

TEST_CASE("ranks receive the start of the run on their own clock, from the best answer of their host") {
    FakeHosts all;
    all.answerQueries();
    all.nowUs += 100'000;
    const auto second = all.answerQueries();
    CHECK(queryIn(second[0].line).zeroUs == 45 * kSecond);
    CHECK(queryIn(second[1].line).zeroUs == 45 * kSecond);
    CHECK(queryIn(second[2].line).zeroUs == 38 * kSecond);
}

TEST_CASE("viewers receive the offset and drift of each host's clock") {
    FakeHosts all;
    CHECK(all.clocks.clocksToReport(all.nowUs).empty());
    all.answerInitialQueries();
    const auto first = all.clocks.clocksToReport(all.nowUs);
    REQUIRE(first.size() == 2);
    CHECK(first[0].rank == 2);
    CHECK(first[0].offsetUs == 5 * kSecond);
    CHECK(first[0].movedUs == 0);
    CHECK(first[0].roundTripUs == 60);
    // Half of the round trip of 60 us, and the drift of 100 us/s during the 0.09994 s since the last answer.
    CHECK(first[0].errorUs == 30 + 10);
    CHECK(first[0].timeUs == all.nowUs - kEpoch);
    CHECK(first[1].rank == 4);
    CHECK(first[1].offsetUs == -2 * kSecond);
    CHECK(first[1].roundTripUs == 200);
    CHECK(all.clocks.clocksToReport(all.nowUs + 14 * kSecond).empty());
    all.nowUs += 15 * kSecond;
    REQUIRE(all.clocks.queries(all.nowUs).size() == 3);
    CHECK(all.clocks.clocksToReport(all.nowUs).empty());  // nothing is reported before the first answer
    all.nowUs += 5 * kSecond;
    all.driftedUs = 900;  // a drift of 45 us/s
    all.answerQueries();
    const auto later = all.clocks.clocksToReport(all.nowUs + 60);
    REQUIRE(later.size() == 2);
    CHECK(later[0].offsetUs == 5 * kSecond + 900);
    CHECK(later[0].movedUs == 900);
    CHECK(later[1].movedUs == 0);
}

TEST_CASE("lines about time are validated as untrusted input") {
    const TimeQuery query{17, -3};
    CHECK(queryIn(encodeTimeQuery(query)) == query);
    CHECK(decodeTimeAnswer(encodeTimeAnswer({17, 99})) == TimeAnswer{17, 99});
    for (const char* line : {"", "{}", R"({"kind":"time"})", R"({"kind":"time","asked_us":-1,"us":3})",
                             R"({"kind":"time","asked_us":1,"us":"3"})", R"({"kind":"time","asked_us":1e300,"us":3})",
                             R"({"kind":"clock","asked_us":1,"us":3})"})
        CHECK_FALSE(decodeTimeAnswer(line));
    CHECK_FALSE(decodeTimeQuery(R"({"kind":"time","asked_us":5,"zero_us":null})"));
    CHECK_FALSE(decodeTimeQuery(R"({"kind":"time","asked_us":5,"zero_us":99999999999999999999})"));
}
