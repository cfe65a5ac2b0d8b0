// SPDX-License-Identifier: Apache-2.0
#include "run/record/record_budget.h"

#include "support/catch.h"

using namespace ringside;

namespace {

constexpr std::int64_t kHour = 3600'000'000;
constexpr std::int64_t kDay = 24 * kHour;
constexpr std::int64_t kMiB = 1 << 20;

// Writes as much as the budget allows from fromUs until untilUs, in lines of 1,000 bytes. Returns the bytes of each
// minute.
std::vector<std::int64_t> greedy(RecordBudget& budget, std::int64_t fromUs, std::int64_t untilUs) {
    std::vector<std::int64_t> minutes;
    for (std::int64_t now = fromUs; now < untilUs; now += kHour / 60) {
        budget.advance(now);
        const std::int64_t before = budget.spent();
        for (const RecordKind kind :
             {RecordKind::kSteps, RecordKind::kMetrics, RecordKind::kEpochs, RecordKind::kHeartbeats,
              RecordKind::kSamples, RecordKind::kGradients, RecordKind::kLog}) {
            while (budget.spend(kind, 1000)) {
            }
        }
        minutes.push_back(budget.spent() - before);
    }
    return minutes;
}

std::int64_t maxInAnHour(const std::vector<std::int64_t>& minutes) {
    std::int64_t most = 0;
    for (std::size_t i = 0; i < minutes.size(); ++i) {
        std::int64_t sum = 0;
        for (std::size_t j = i; j < std::min(i + 60, minutes.size()); ++j) sum += minutes[j];
        most = std::max(most, sum);
    }
    return most;
}

}  // namespace

TEST_CASE("a run that writes as much as allowed stays within its hourly and total limits") {
    RecordBudget budget({.megabytesPerHour = 10, .megabytesTotal = 100});
    const auto minutes = greedy(budget, 0, 2 * kDay);
    CHECK(maxInAnHour(minutes) <= 10 * kMiB);
    CHECK(maxInAnHour(minutes) > 9 * kMiB);
    CHECK(budget.spent() <= 99 * kMiB);  // 1 MiB is reserved for the last lines of the run
    CHECK(budget.spent() > 60 * kMiB);
    budget.advance(3650 * kDay);
    CHECK(budget.allowed() <= 99 * kMiB);
}

TEST_CASE("a quiet day allows no burst beyond the share of an hour") {
    RecordBudget budget({.megabytesPerHour = 10, .megabytesTotal = 1000});
    for (std::int64_t now = 0; now < kDay; now += kHour / 60) budget.advance(now);
    CHECK(maxInAnHour(greedy(budget, kDay, kDay + 3 * kHour)) <= 10 * kMiB);
}

TEST_CASE("no kind of line uses the share of another, and dropped lines are counted") {
    RecordBudget budget({.megabytesPerHour = 10, .megabytesTotal = 100});
    while (budget.spend(RecordKind::kLog, 1000)) {
    }
    CHECK(budget.linesLeftOut() == 1);
    CHECK(budget.spend(RecordKind::kEpochs, 1000));
    CHECK(budget.spend(RecordKind::kVital, 1000));
}

TEST_CASE("lines of a kind above its rate are halved as often as needed, and less often when the rate falls") {
    RecordBudget budget({.megabytesPerHour = 10, .megabytesTotal = 100});
    // Bytes that this kind may write at once: its share of half an hour's budget.
    const double share = 0.36 * 5'000'000;
    CHECK(budget.spend(RecordKind::kSteps, static_cast<std::size_t>(0.4 * share)));
    budget.advance(1'000'000);
    CHECK(budget.halvings(RecordKind::kSteps) == 0);  // less than half of the share is used, so nothing is halved
    CHECK(budget.spend(RecordKind::kSteps, static_cast<std::size_t>(0.2 * share)));
    budget.advance(2'000'000);
    // The kind writes 360 kB in a second. The remaining 720 kB last ten minutes at 1.2 kB/s, and the budget grows by
    // about 0.5 kB/s.
    CHECK(budget.halvings(RecordKind::kSteps) == 8);  // 360 / 1.7 = 212 < 2^8
    CHECK(budget.halvings(RecordKind::kMetrics) == 0);
    CHECK(budget.spend(RecordKind::kSteps, 100));
    budget.advance(3'000'000);
    CHECK(budget.halvings(RecordKind::kSteps) == 7);
}

TEST_CASE("files of other programs in the directory reduce the budget") {
    RecordBudget budget({.megabytesPerHour = 10, .megabytesTotal = 100});
    const std::int64_t before = budget.allowed();
    budget.setOtherFileBytes(1'000'000);
    CHECK(budget.allowed() == before - 1'000'000);
    budget.setOtherFileBytes(1'000'000'000);
    CHECK(budget.allowed() == 0);
    CHECK_FALSE(budget.spend(RecordKind::kSteps, 1000));
    CHECK(budget.spend(RecordKind::kVital, 1000));
}
