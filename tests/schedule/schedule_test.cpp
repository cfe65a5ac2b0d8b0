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
    CHECK(problemOf("") == "the schedule has no row of actions: write a row for each rank, such as 0F0,0F1,0B0,0B1");
    CHECK_THAT(problemOf("0F0,0X0"), Catch::Matchers::StartsWith("row 1 has \"0X0\" as its 2. action"));
    CHECK_THAT(problemOf("0F99999999999,0B0"), Catch::Matchers::StartsWith("row 1 has"));
    CHECK_THAT(problemOf("0F0,0B0\n0F1,0B1"), Catch::Matchers::StartsWith("stage 0 is on rank 0 and on rank 1"));
    CHECK_THAT(problemOf("0B0,0F0"), Catch::Matchers::StartsWith("0B0 on rank 0 comes before the forward action (F)"));
    CHECK_THAT(problemOf("0F0,0W0,0I0"),
               Catch::Matchers::StartsWith("0W0 on rank 0 comes before the input-gradient action (I)"));
    CHECK_THAT(problemOf("0F0,0F0,0B0"), Catch::Matchers::StartsWith("0F0 on rank 0 occurs twice"));
    CHECK_THAT(problemOf("0F0,0I0"),
               Catch::Matchers::StartsWith("micro-batch 0 does not run forward and backward through stage 0"));
    CHECK_THAT(problemOf("0F0,0B0,0F1,0B1\n1F1,1F0,1B0,1B1"),
               Catch::Matchers::StartsWith("rank 0 would wait forever at 0B0"));
}

TEST_CASE("shapes that PyTorch refuses are refused with the nearest valid ones") {
    const auto refusal = [](const ScheduleShape& shape) { return makeSchedule(shape).problem().text(); };
    CHECK(refusal({ScheduleKind::kOneForwardOneBackward, 4, 3}) ==
          "1f1b with 3 micro-batches on 4 stages: there must be at least as many micro-batches as stages: use 4 or "
          "more micro-batches, or gpipe");
    // On 4 ranks, 5, 6, 7 and 10 micro-batches are valid, 9 are not.
    for (const int microBatches : {5, 6, 7, 10})
        CHECK(makeSchedule({ScheduleKind::kInterleaved, 4, microBatches, 2}).ok());
    CHECK(refusal({ScheduleKind::kInterleaved, 4, 9, 2}) ==
          "interleaved with 9 micro-batches on 4 ranks: 2 rounds of equal size are not possible: use 8 or 10 "
          "micro-batches");
}

TEST_CASE("shapes at the limits are made") {
    CHECK(makeSchedule({ScheduleKind::kOneForwardOneBackward, 4, 4}).ok());
    CHECK(makeSchedule({ScheduleKind::kGpipe, 4, 3}).ok());
    CHECK(makeSchedule({ScheduleKind::kInterleaved, 4, 3, 2}).ok());  // three micro-batches: one round
    CHECK(makeSchedule({ScheduleKind::kLoopedBreadthFirst, 4, 9, 2}).ok());
    CHECK(makeSchedule({ScheduleKind::kZeroBubble, 4, 14, 2}).problem().text() ==
          "zero_bubble with 14 micro-batches on 4 ranks: 3 rounds of equal size are not possible: use 12 or 15 "
          "micro-batches");
    CHECK(makeSchedule({ScheduleKind::kOneForwardOneBackward, 2, 1}).problem().text() ==
          "1f1b with 1 micro-batch on 2 stages: there must be at least as many micro-batches as stages: use 2 or more "
          "micro-batches, or gpipe");
    CHECK(nameOf(ScheduleKind::kLoopedBreadthFirst) == std::string("looped_bfs"));
}

TEST_CASE("a schedule knows its sizes and the rank of each stage") {
    const Schedule schedule = parseSchedule("0F0,2F0,2B0,0B0\n1F0,1B0,1F3").value();
    CHECK(schedule.stageCount() == 3);
    CHECK(schedule.microBatchCount() == 4);
    CHECK((schedule.rankOf(0) == 0 && schedule.rankOf(1) == 1 && schedule.rankOf(2) == 0 && schedule.rankOf(3) == -1));
    CHECK((Schedule{}.stageCount() == 0 && Schedule{}.microBatchCount() == 0 && Schedule{}.rankOf(0) == -1));
}

TEST_CASE("each action of a stage and micro-batch occurs once and in order") {
    CHECK(problemOf("0F0,0I0,0W0").empty());
    for (const std::string twice :
         {"0F0,0B0,0B0", "0F0,0I0,0I0", "0F0,0I0,0W0,0W0", "0F0,0B0,0I0", "0F0,0B0,0W0", "0F0,0I0,0B0"})
        CHECK_THAT(problemOf(twice), containing(twice.substr(twice.size() - 3) + " on rank 0 occurs twice: remove"));
    CHECK(problemOf("0I0,0F0") ==
          "0I0 on rank 0 comes before the forward action (F) of its stage and micro-batch: put that forward action "
          "first");
    CHECK_THAT(problemOf("0W0,0F0"), containing("0W0 on rank 0 comes before the forward action (F)"));
    CHECK(problemOf("0F0,0W0") ==
          "0W0 on rank 0 comes before the input-gradient action (I) of its stage and micro-batch: put the I action "
          "first");
    CHECK_THAT(problemOf("0F0,0B0,0F1,0B1\n1F0,1B0"),
               containing("micro-batch 1 does not run forward and backward through stage 1"));
    CHECK_THAT(problemOf("1F0,1B0"), containing("micro-batch 0 does not run forward and backward through stage 0"));
    CHECK_THAT(problemOf("0F1,0B1"), containing("micro-batch 0 does not run forward and backward through stage 0"));
    CHECK_THAT(problemOf("0F0"), containing("micro-batch 0 does not run forward and backward through stage 0"));
}

TEST_CASE("numbers of stages and micro-batches end at 100,000") {
    CHECK(parseSchedule("100000F100000").ok());
    for (const std::string refused : {"100001F0", "0F100001", "-1F0", "0F-1", "F0", "0F", "0", "0F0x", "0G0"})
        CHECK(parseSchedule(refused).problem().text() ==
              "row 1 has \"" + refused +
                  "\" as its 1. action: write each action as the number of a stage, a letter (F, B, I or W) and the "
                  "number of a micro-batch, such as 0F3");
}

TEST_CASE("each implied action is skipped, but only with a stage") {
    for (const std::string word : {"SEND_F", "RECV_F", "SEND_B", "RECV_B", "UNSHARD", "RESHARD", "REDUCE_GRAD"}) {
        CHECK(scheduleText(parseSchedule("3" + word + "1,0F0").value()) == "0F0\n");
        CHECK_FALSE(parseSchedule(word + "1,0F0").ok());
    }
}

TEST_CASE("a pair is read and written as PyTorch writes it") {
    const Schedule paired = parseSchedule("0F0,(0F1;0B0)OVERLAP_F_B,0B1").value();
    REQUIRE(paired.ranks[0].size() == 4);
    CHECK((!paired.ranks[0][0].withNext && paired.ranks[0][1].withNext && !paired.ranks[0][2].withNext));
    CHECK(scheduleText(paired) == "0F0,(0F1;0B0)OVERLAP_F_B,0B1\n");
    for (const std::string wrong :
         {"(0F1;0B0)", "(0F1;0B0)OVERLAP", "0F1;0B0)OVERLAP_F_B", "(0F1;0B0OVERLAP_F_B", "(0F1)OVERLAP_F_B",
          "(0X1;0B0)OVERLAP_F_B", "(0F1;0X0)OVERLAP_F_B", "(0F1);0B0OVERLAP_F_B", "x0F1;0B0)OVERLAP_F_B"})
        CHECK_THAT(parseSchedule("0F0," + wrong).problem().text(), containing(wrong + "\" as its 2. action"));
    // A row that ends with the first half of a pair lacks the second half.
    CHECK(scheduleText({{{{0, PipelineWork::kForward, 0, true}}}}) == "0F0\n");
}

TEST_CASE("blanks, quotes and empty rows are skipped") {
    CHECK(scheduleText(parseSchedule("\n \t\"0F0\" ,\t0B0\r\n,,\n1F0 1B0").value()) == "0F0,0B0\n1F0,1B0\n");
    CHECK_THAT(parseSchedule("0F0\n\n1F0,,bad\n").problem().text(), containing("row 2 has \"bad\" as its 2. action"));
    CHECK_THAT(parseSchedule(std::string(50, 'x')).problem().text(),
               containing("row 1 has \"" + std::string(40, 'x') + "\" as"));
    CHECK_THAT(parseSchedule(" ,\n\t\n").problem().text(), containing("has no row of actions"));
}

TEST_CASE("a row has a million actions at most") {
    std::string row;
    for (int i = 0; i < 1'000'000; ++i) row += "0F0,";
    CHECK(parseSchedule(row).value().ranks[0].size() == 1'000'000);
    CHECK_THAT(parseSchedule(row + "0B0").problem().text(), containing("\"0B0\" as its 1000001. action"));
}

TEST_CASE("a schedule that can run to its end is accepted") {
    CHECK(checkSchedule(parseSchedule("0F0,0B0").value()).value());
}
