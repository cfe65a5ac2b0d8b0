// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "schedule/goldens_of_schedules.h"
#include "support/catch.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

const std::map<std::string, ScheduleKind> kMade{{"GPipe", ScheduleKind::kGpipe},
                                                {"1F1B", ScheduleKind::kOneForwardOneBackward},
                                                {"Interleaved1F1B", ScheduleKind::kInterleaved},
                                                {"InterleavedZeroBubble", ScheduleKind::kZeroBubble},
                                                {"LoopedBFS", ScheduleKind::kLoopedBreadthFirst}};

std::string withCommas(std::string rows) {
    std::ranges::replace(rows, ' ', ',');
    return rows;
}

std::string problemOf(const std::string& text) {
    const Result<Schedule> schedule = parseSchedule(text);
    if (!schedule) return schedule.problem().text();
    const Result<bool> right = checkSchedule(schedule.value());
    return right ? "" : right.problem().text();
}

}  // namespace

TEST_CASE("schedules are made as PyTorch's schedule classes make them") {
    int made = 0;
    for (const Json& golden : scheduleGoldens()) {
        const auto kind = kMade.find(golden["schedule"]);
        if (kind == kMade.end()) continue;
        INFO(titleOf(golden));
        const Result<Schedule> schedule = makeSchedule({kind->second, golden["P"], golden["M"], golden["V"]});
        REQUIRE(schedule.ok());
        CHECK(scheduleText(schedule.value()) == withCommas(rowsOf(golden)));
        ++made;
    }
    CHECK(made == 84);
}

TEST_CASE("every recorded schedule of PyTorch is read, accepted and written unchanged") {
    CHECK(scheduleGoldens().size() == 104);
    for (const Json& golden : scheduleGoldens()) {
        INFO(titleOf(golden));
        const Result<Schedule> schedule = parseSchedule(rowsOf(golden));
        REQUIRE(schedule.ok());
        CHECK(checkSchedule(schedule.value()).ok());
        CHECK(scheduleText(schedule.value()) == withCommas(rowsOf(golden)));
        CHECK(schedule.value().rankCount() == golden["P"].get<int>());
        CHECK(schedule.value().microBatchCount() == golden["M"].get<int>());
    }
}

TEST_CASE("messages and FSDP's actions in a schedule are implied and skipped") {
    const Result<Schedule> read =
        parseSchedule("0UNSHARD,0F0,0SEND_F0,,0RECV_B0,0B0,0REDUCE_GRAD,0RESHARD\n1RECV_F0,1F0,1B0,1SEND_B0\n");
    REQUIRE(read.ok());
    CHECK(scheduleText(read.value()) == "0F0,0B0\n1F0,1B0\n");
}

TEST_CASE("an invalid schedule is refused with the position") {
    CHECK(problemOf("") == "has no row of actions: write a row for each rank, such as 0F0,0F1,0B0,0B1");
    CHECK_THAT(problemOf("0F0,0X0"), Catch::Matchers::StartsWith("row 1 has \"0X0\" as its 2. action"));
    CHECK_THAT(problemOf("0F99999999999,0B0"), Catch::Matchers::StartsWith("row 1 has"));
    CHECK_THAT(problemOf("0F0,0B0\n0F1,0B1"), Catch::Matchers::StartsWith("stage 0 is on rank 0 and on rank 1"));
    CHECK_THAT(problemOf("0B0,0F0"), Catch::Matchers::StartsWith("0B0 on rank 0 runs backward before its forward"));
    CHECK_THAT(problemOf("0F0,0W0,0I0"), Catch::Matchers::StartsWith("0W0 on rank 0 comes before its I"));
    CHECK_THAT(problemOf("0F0,0F0,0B0"), Catch::Matchers::StartsWith("0F0 on rank 0 occurs twice"));
    CHECK_THAT(problemOf("0F0,0I0"),
               Catch::Matchers::StartsWith("micro-batch 0 does not run forward and backward through stage 0"));
    CHECK_THAT(problemOf("0F0,0B0,0F1,0B1\n1F1,1F0,1B0,1B1"),
               Catch::Matchers::StartsWith("rank 0 would wait forever at 0B0"));
}

TEST_CASE("shapes that PyTorch refuses are refused with the nearest valid ones") {
    const auto refusal = [](const ScheduleShape& shape) { return makeSchedule(shape).problem().text(); };
    CHECK(refusal({ScheduleKind::kOneForwardOneBackward, 4, 3}) ==
          "1f1b with 3 micro-batches on 4 stages: there must be at least as many: use 4 or more, or gpipe");
    // Legal on 4 ranks: 5, 6, 7 and 10, but not 9.
    for (const int microBatches : {5, 6, 7, 10})
        CHECK(makeSchedule({ScheduleKind::kInterleaved, 4, microBatches, 2}).ok());
    CHECK(refusal({ScheduleKind::kInterleaved, 4, 9, 2}) ==
          "interleaved with 9 micro-batches on 4 ranks: 2 rounds of them cannot be equal: use 8 or 10");
}
