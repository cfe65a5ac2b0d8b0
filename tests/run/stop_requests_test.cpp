// SPDX-License-Identifier: Apache-2.0
#include "run/supervise/stop_requests.h"

#include "run/supervise/memory_kills.h"
#include "support/catch.h"

using namespace ringside;
using namespace std::chrono_literals;
using Meaning = StopRequests::Meaning;

TEST_CASE("the first request stops, the second is warned, the third terminates") {
    StopRequests stops;
    const TimePoint start{};
    CHECK_FALSE(stops.isRequested());
    CHECK(stops.request(start) == Meaning::kBegin);
    CHECK(stops.isRequested());
    CHECK(stops.request(start + 1s) == Meaning::kLogCost);
    CHECK(stops.request(start + 3s) == Meaning::kTerminate);
}

TEST_CASE("a second request counts only some time after the warning, and not long after it") {
    StopRequests stops;
    const TimePoint start{};
    CHECK(stops.request(start) == Meaning::kBegin);
    CHECK(stops.request(start + 1ms) == Meaning::kLogCost);
    CHECK(stops.request(start + 2ms) == Meaning::kIgnore);
    CHECK(stops.request(start + 300ms) == Meaning::kIgnore);
    CHECK(stops.request(start + 5002ms) == Meaning::kLogCost);
    CHECK(stops.request(start + 10002ms) == Meaning::kTerminate);
}

TEST_CASE("any number of hang-ups counts as one stop request") {
    StopRequests stops;
    const TimePoint start{};
    CHECK(stops.requestOnce(start) == Meaning::kBegin);
    for (int i = 1; i < 10; ++i) CHECK(stops.requestOnce(start + i * 700ms) == Meaning::kIgnore);
    CHECK(stops.request(start + 8s) == Meaning::kLogCost);
    CHECK(stops.requestOnce(start + 9s) == Meaning::kIgnore);
    CHECK(stops.request(start + 10s) == Meaning::kTerminate);
}

TEST_CASE("the kernel's count of out-of-memory kills is found among other counts") {
    CHECK(oomKillsIn("low 0\nhigh 3\noom 9\noom_kill 12\noom_group_kill 1\n") == 12);
    CHECK(oomKillsIn("oom_kill 0") == 0);
    CHECK_FALSE(oomKillsIn("low 0\noom 9\n"));
    CHECK_FALSE(oomKillsIn("oom_kill many\n"));
    CHECK_FALSE(oomKillsIn("doom_kill 4\n"));
    CHECK_FALSE(oomKillsIn(""));
}
