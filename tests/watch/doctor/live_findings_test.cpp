// SPDX-License-Identifier: Apache-2.0
#include "watch/findings/live_findings.h"
#include "support/catch.h"

using namespace ringside;

namespace {

constexpr std::int64_t kSecond = 1'000'000;

Finding finding(const char* code, const char* text = "t", const char* where = "train.py:1") {
    return {.code = code, .severity = Severity::kMistake, .text = text, .where = where, .evidence = "{\"a\":1}"};
}

// LiveFindings with a judgement every three seconds.
struct Judgements {
    // Returns the codes of the events after the next judgement; those of withdrawals begin with a minus.
    std::string next(const std::vector<Finding>& found) {
        nowUs += 3 * kSecond;
        return codes(live.update(found, nowUs, 0));
    }
    static std::string codes(const std::vector<Finding>& events) {
        std::string all;
        for (const Finding& one : events) {
            all += (one.withdrawn.value_or(false) ? "-" : "") + one.code + " ";
        }
        return all;
    }
    LiveFindings live;
    std::int64_t nowUs = 0;
};

}  // namespace

TEST_CASE("a finding is reported when two judgements in a row agree") {
    Judgements judgements;
    CHECK(judgements.next({finding("order")}).empty());
    CHECK(judgements.next({}).empty());
    CHECK(judgements.next({finding("order")}).empty());
    CHECK(judgements.next({finding("order")}) == "order ");
    CHECK(judgements.next({finding("order")}).empty());
}

TEST_CASE("a hang is reported at once") {
    Judgements judgements;
    CHECK(judgements.next({finding("hang"), finding("order")}) == "hang ");
}

TEST_CASE("a finding that later evidence contradicts is withdrawn, and then needs more evidence") {
    Judgements judgements;
    judgements.next({finding("loss")});
    CHECK(judgements.next({finding("loss")}) == "loss ");
    CHECK(judgements.next({}) == "-loss ");
    CHECK(judgements.next({}).empty());
    for (int i = 0; i < 3; ++i) CHECK(judgements.next({finding("loss")}).empty());
    CHECK(judgements.next({finding("loss")}) == "loss ");
}

TEST_CASE("new numbers of a finding are reported less and less often, another line at once") {
    Judgements judgements;
    judgements.next({finding("slow")});
    judgements.next({finding("slow")});
    std::vector<std::int64_t> at;
    const std::int64_t begin = judgements.nowUs;
    while (judgements.nowUs < begin + 75 * kSecond) {
        const std::string text = std::to_string(judgements.nowUs);
        if (!judgements.next({finding("slow", text.c_str())}).empty())
            at.push_back((judgements.nowUs - begin) / kSecond);
    }
    CHECK(at == std::vector<std::int64_t>{12, 33, 75});  // the intervals are at least 10, 20 and 40 s
    CHECK(judgements.next({finding("slow", "t", "train.py:2")}) == "slow ");
}

TEST_CASE("judgements that take long are made rarely") {
    LiveFindings live;
    CHECK(live.isDue(0));
    live.update({}, kSecond, 100);
    CHECK_FALSE(live.isDue(3'999'999));
    CHECK(live.isDue(4 * kSecond));
    live.update({}, 10 * kSecond, kSecond);
    CHECK_FALSE(live.isDue(59 * kSecond));
    CHECK(live.isDue(60 * kSecond));
}

TEST_CASE("at the end, reported findings that do not hold are withdrawn") {
    Judgements judgements;
    judgements.next({finding("a"), finding("b"), finding("c")});
    judgements.next({finding("a"), finding("b")});
    CHECK(Judgements::codes(judgements.live.finish({finding("b")}, judgements.nowUs)) == "-a ");
}
