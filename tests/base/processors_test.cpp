// SPDX-License-Identifier: Apache-2.0
#include "base/processors.h"

#include <sched.h>

#include <thread>

#include "support/catch.h"

using namespace ringside;

TEST_CASE("Processors are counted as the affinity mask has them") {
    int inherited = 0;
    int bound = 0;
    std::thread([&] {
        inherited = usableProcessors();
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(static_cast<std::size_t>(::sched_getcpu()), &one);
        if (::sched_setaffinity(0, sizeof one, &one) == 0) bound = usableProcessors();
    }).join();
    CHECK(inherited >= 1);
    CHECK(bound == 1);
}

TEST_CASE("Only the thread that asks runs where processors are idle") {
    int there = -1;
    std::thread([&] {
        runOnlyWhereIdle();
        there = ::sched_getscheduler(0);
    }).join();
    CHECK(there == SCHED_IDLE);
    CHECK(::sched_getscheduler(0) != SCHED_IDLE);
}
