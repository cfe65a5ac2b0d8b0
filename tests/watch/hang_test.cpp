// SPDX-License-Identifier: Apache-2.0
#include "watch/run/hang.h"

#include "base/json/json.h"
#include "support/catch.h"
#include "watch/run/stall_watch.h"

using namespace ringside;

namespace {

constexpr const char* kInAllReduce =
    R"({"for_us":9000000,"cpu_us":20000,"phase":"waiting","steps":4,"where":"train.py:48",)"
    R"("stack":["train.py:60 <module>","train.py:48 main","torch/distributed/x.py:9 all_reduce"],)"
    R"("inside":{"operation":"all_reduce","group":0,"number":17,"peer":null,"for_us":9000000}})";
constexpr const char* kAsleep =
    R"({"for_us":9200000,"cpu_us":100,"phase":"idle","steps":4,"where":"train.py:30","stack":["train.py:30 main"]})";
// Returns the facts of a rank that waits in the backward pass of DistributedDataParallel. The wait is in C++ code, so
// only the flight recorder shows the collective.
std::string inBackward(int number) {
    return R"({"for_us":8000000,"cpu_us":100,"phase":"backward","where":"train.py:50","stack":["train.py:50 main"],)"
           R"("recent":[{"name":"gloo:all_reduce","number":)" +
           std::to_string(number) + R"(,"sizes":[[10]],"group":["0","default_pg"],"state":"scheduled"}]})";
}

}  // namespace

TEST_CASE("a hang names the collective of the ranks that wait and the line of the rank that does not come") {
    const auto report = findHang({rankStall(0, kInAllReduce), rankStall(1, kAsleep), rankStall(2, kInAllReduce)}, 9);
    REQUIRE(report);
    CHECK(report->isHang);
    CHECK(report->where == "train.py:48");
    CHECK(report->text ==
          "No rank has made progress for 9 s. Ranks 0 and 2 wait in all_reduce number 17, at train.py:48. Rank 1 is in "
          "no collective that can be seen (phase idle), at train.py:30.");
    const Json evidence = parseJson(report->evidence, "evidence").value();
    CHECK(evidence["ranks"][0]["stack"].size() == 3);
    CHECK(evidence["ranks"][2]["collective"]["number"] == 17);
}

TEST_CASE("the flight recorder shows which rank is one collective behind") {
    const auto report = findHang({rankStall(0, inBackward(31)), rankStall(1, inBackward(30))}, 9);
    REQUIRE(report);
    CHECK(report->isHang);
    CHECK(report->text.find("Rank 0 is in backward, its latest collective is gloo:all_reduce number 31") !=
          std::string::npos);
    CHECK(report->text.find("number 30") != std::string::npos);
}

TEST_CASE("a rank that computes or makes progress is not a hang") {
    RankStall computes = rankStall(1, kAsleep);
    computes.cpuSeconds = 9;
    CHECK_FALSE(findHang({rankStall(0, kInAllReduce), computes}, 9));
    RankStall moves;
    moves.rank = 1;
    CHECK_FALSE(findHang({rankStall(0, kInAllReduce), moves}, 9));
}

TEST_CASE("a rank that has ended leaves the other ranks waiting") {
    RankStall gone;
    gone.rank = 1;
    gone.state = RankStall::State::kEnded;
    const auto report = findHang({rankStall(0, kInAllReduce), gone}, 9);
    REQUIRE(report);
    CHECK(report->isHang);
    CHECK(report->text.ends_with("Rank 1 has ended."));
}

TEST_CASE("if no rank waits alone, the report states what is not visible") {
    const auto all = findHang({rankStall(0, kInAllReduce), rankStall(1, kInAllReduce)}, 9);
    REQUIRE(all);
    CHECK_FALSE(all->isHang);
    CHECK(all->text.ends_with("Ringside cannot determine the rank for which the other ranks wait."));
    CHECK_FALSE(findHang({rankStall(0, kAsleep), rankStall(1, kAsleep)}, 9)->isHang);
}

TEST_CASE("facts of other types and lengths do no harm") {
    for (const char* facts : {"", "[]", "3", R"({"for_us":"x","inside":7,"recent":{"a":1},"stack":[1,[2]]})",
                              R"({"inside":{"operation":3,"number":"x"}})"}) {
        const RankStall stall = rankStall(0, facts);
        CHECK(stall.state == RankStall::State::kStalled);
        CHECK(stall.stack.empty());
    }
}

TEST_CASE("stacks are requested and a conclusion is drawn once, until a rank makes progress") {
    constexpr std::int64_t kSecond = 1'000'000;
    StallWatch watch;
    const auto step = [](int rank, std::int64_t number, std::int64_t us) {
        StepsFrame frame;
        frame.rank = rank;
        frame.step = {number};
        frame.loss = {1};
        frame.samples = {1};
        frame.endUs = {us};
        return frame;
    };
    const auto stalled = [](int rank, const char* facts) { return ScriptFacts{rank, "stalled", facts, 0}; };
    for (int rank : {0, 1}) watch.apply(step(rank, 1, kSecond), kSecond);
    CHECK_FALSE(watch.mustRequestStacks(8 * kSecond));
    CHECK(watch.mustRequestStacks(10 * kSecond));
    CHECK_FALSE(watch.mustRequestStacks(11 * kSecond));
    watch.apply(stalled(0, kInAllReduce), 10 * kSecond);
    CHECK_FALSE(watch.conclude(10 * kSecond, 2));  // rank 1 has not answered
    watch.apply(stalled(1, kAsleep), 10 * kSecond);
    CHECK_FALSE(watch.conclude(10 * kSecond, 3));  // rank 2 has never connected
    CHECK(watch.conclude(10 * kSecond, 2)->isHang);
    CHECK_FALSE(watch.conclude(11 * kSecond, 2));
    watch.apply(ScriptFacts{1, "exception", "{}", 0}, 11 * kSecond);  // a timeout of the backend, for example
    CHECK(watch.hang());
    watch.apply(step(1, 2, 12 * kSecond), 12 * kSecond);
    CHECK(watch.hang());
    watch.apply(step(1, 3, 12 * kSecond), 12 * kSecond);
    CHECK_FALSE(watch.hang());
    watch.recordConnectionEnd(1);
    watch.apply(stalled(0, kInAllReduce), 21 * kSecond);
    CHECK(watch.conclude(21 * kSecond, 2)->text.ends_with("Rank 1 has ended."));
}
