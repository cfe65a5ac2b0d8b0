// SPDX-License-Identifier: Apache-2.0
#include "base/time/awake_deadline.h"

#include "support/catch.h"

using namespace ringside;
using namespace std::chrono_literals;

TEST_CASE("a deadline expires after its time if the process was running") {
    TimePoint now{};
    AwakeDeadline deadline(1s, now);
    CHECK(deadline.nextCheck() == now + 250ms);
    for (int round = 0; round < 3; ++round) {
        now = deadline.nextCheck();
        CHECK_FALSE(deadline.hasPassed(now));
    }
    CHECK(deadline.nextCheck() == now + 250ms);
    CHECK(deadline.hasPassed(now + 250ms));
}

TEST_CASE("time in which this process was suspended hardly counts towards a deadline") {
    TimePoint now{};
    AwakeDeadline deadline(3s, now);
    now += 33s;  // the process was stopped, or the computer suspended
    CHECK_FALSE(deadline.hasPassed(now));
    CHECK_FALSE(deadline.hasPassed(now + 1250ms));
    CHECK_FALSE(deadline.hasPassed(now + 1749ms));
    CHECK(deadline.hasPassed(now + 1750ms));
}

TEST_CASE("the last poll happens at the deadline") {
    const TimePoint now{};
    AwakeDeadline deadline(260ms, now);
    CHECK_FALSE(deadline.hasPassed(now + 250ms));
    CHECK(deadline.nextCheck() == now + 260ms);
}
