// SPDX-License-Identifier: Apache-2.0
#include "sampling/plan/plan_memory.h"

#include "support/catch.h"

using namespace ringside;

TEST_CASE("a plan that fits into memory is not a problem") {
    CHECK_FALSE(planMemoryProblem(1'000'000, kListBytesPerSample, 4'000'000));
    CHECK_FALSE(planMemoryProblem(0, kListBytesPerSample, 1));
    CHECK_FALSE(planMemoryProblem(2'147'483'647, kListBytesPerSample, 0));  // 0: the system does not report its memory
}

TEST_CASE("a plan that does not fit names its memory, what is available and the largest size") {
    const auto problem = planMemoryProblem(1'000'000'000, kListBytesPerSample, 2'100'000'000);
    REQUIRE(problem);
    CHECK(
        problem->text() ==
        "dataset size is 1,000,000,000; a plan of this size needs up to 3.7 GiB of memory, and 2.0 GiB are available: "
        "choose at most 525,000,000 samples, or end other programs");
    CHECK(planMemoryProblem(1'000'000'000, kQueryBytesPerSample, 20'000'000'000));
}

TEST_CASE("a plan may take all available memory, and not a byte more") {
    CHECK_FALSE(planMemoryProblem(1000, kListBytesPerSample, 4000));
    CHECK(planMemoryProblem(1000, kListBytesPerSample, 3999));
    CHECK(planMemoryProblem(1, kListBytesPerSample, 1));
}
