// SPDX-License-Identifier: Apache-2.0
#include "run/supervise/host_load.h"

#include "support/catch.h"

using namespace ringside;
using namespace std::chrono_literals;

TEST_CASE("on an idle host a rank has parallel.timeout_seconds to start, and at least the usual time") {
    const HostLoad idle{.ranks = 2, .processors = 2, .others = 0};
    CHECK(runDeadlines(10s, 30s, idle).start == 30s);
    CHECK(runDeadlines(10s, 3s, idle).start == 10s);
    CHECK(runDeadlines(10s, 30s, idle).timeoutFactor == 1);
    CHECK(deadlinesText(runDeadlines(10s, 30s, idle), 10s, 30s, idle).empty());
}

TEST_CASE("64 ranks on 2 CPUs get four times the timeout, and 7.75 s more to start") {
    const HostLoad crowded{.ranks = 64, .processors = 2, .others = 0};
    const RunDeadlines deadlines = runDeadlines(10s, 30s, crowded);
    CHECK(deadlines.start == 37750ms);    // 30 s + 250 ms x (64 / 2 - 1)
    CHECK(deadlines.timeoutFactor == 4);  // 64 / 2 / 8
    CHECK(deadlinesText(deadlines, 10s, 30s, crowded) ==
          "this computer is busy: 64 ranks share 2 CPUs with 0 processes of other programs. A rank may take 38 s to "
          "start instead of 30 s, and counts as hung after 120 s instead of 30 s (parallel.timeout_seconds)");
}

TEST_CASE("a load of 160 on 2 CPUs extends both deadlines") {
    const HostLoad busy{.ranks = 2, .processors = 2, .others = 160};
    const RunDeadlines deadlines = runDeadlines(10s, 3s, busy);
    CHECK(deadlines.start == 196s);                            // 10 s + 250 ms x ((2 + 9.3 x 160) / 2 - 1)
    CHECK(deadlines.timeoutFactor == Approx(162.0 / 2 / 16));  // 5.06
    // The text names only deadlines that change.
    const HostLoad medium{.ranks = 2, .processors = 2, .others = 16};
    CHECK(runDeadlines(10s, 30s, medium).start == 48600ms);  // 30 s + 250 ms x ((2 + 9.3 x 16) / 2 - 1)
    CHECK(deadlinesText(runDeadlines(10s, 30s, medium), 10s, 30s, medium) ==
          "this computer is busy: 2 ranks share 2 CPUs with 16 processes of other programs. A rank may take 49 s to "
          "start instead of 30 s");
}

TEST_CASE("a load that leaves every process a sixteenth of a CPU changes no timeout") {
    CHECK(runDeadlines(10s, 30s, {.ranks = 4, .processors = 4, .others = 60}).timeoutFactor == 1);
    CHECK(runDeadlines(10s, 30s, {.ranks = 8, .processors = 1, .others = 0}).timeoutFactor == 1);
}

TEST_CASE("the load of this host is read") {
    const HostLoad load = readHostLoad(3);
    CHECK(load.ranks == 3);
    CHECK(load.processors >= 1);
    CHECK(load.others >= 0);
}
