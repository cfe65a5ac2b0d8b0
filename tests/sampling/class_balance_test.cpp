// SPDX-License-Identifier: Apache-2.0
#include "sampling/findings/class_balance.h"

#include <cmath>

#include "support/catch.h"

using namespace ringside;

namespace {

// ln of n over k
double logChoose(std::int64_t n, std::int64_t k) {
    const auto lnFactorial = [](std::int64_t x) { return std::lgamma(static_cast<double>(x) + 1); };
    return lnFactorial(n) - lnFactorial(k) - lnFactorial(n - k);
}

// Returns the hypergeometric probability that `count` of the `drawn` samples belong to the class.
double probability(std::int64_t n, std::int64_t ofClass, std::int64_t drawn, std::int64_t count) {
    if (count < 0 || count > ofClass || drawn - count > n - ofClass || count > drawn) return 0;
    return std::exp(logChoose(ofClass, count) + logChoose(n - ofClass, drawn - count) - logChoose(n, drawn));
}

ShardSpec inOrder(std::int64_t n, int world, std::int64_t batch) {
    ShardSpec spec;
    spec.datasetSize = n;
    spec.worldSize = world;
    spec.shuffle = false;
    spec.batchSize = batch;
    return spec;
}

}  // namespace

TEST_CASE("a chance band holds 95 % of the hypergeometric distribution") {
    struct Case {
        std::int64_t n, ofClass, drawn;
    };
    for (const auto& [n, ofClass, drawn] : {Case{1437, 143, 360}, Case{1000, 500, 200}, Case{60000, 5949, 938}}) {
        const ChanceBand band = chanceBand(n, ofClass, drawn);
        double within = 0, mean = 0, square = 0;
        for (std::int64_t count = 0; count <= drawn; ++count) {
            const double p = probability(n, ofClass, drawn, count);
            const auto x = static_cast<double>(count);
            mean += p * x;
            square += p * x * x;
            if (!isOutside(count, band)) within += p;
        }
        INFO(n << " " << ofClass << " " << drawn);
        CHECK(band.expected == Approx(mean));
        CHECK(band.variance == Approx(square - mean * mean).epsilon(1e-6));
        CHECK(within >= 0.95);
        CHECK(within < 0.99);
    }
}

TEST_CASE("ranks and steps are counted, and a class on one rank only is outside the expected range") {
    const ShardPlan plan = ShardPlan::make(inOrder(400, 2, 10)).value();
    std::vector<std::uint16_t> labels;
    // The labels alternate, so rank r gets only samples of class r.
    for (std::uint16_t sample = 0; sample < 400; ++sample) labels.push_back(sample % 2);
    const ClassBalance balance = classBalance(plan, labels, {"even", "odd"});
    CHECK(balance.classSizes == std::vector<std::int64_t>{200, 200});
    CHECK(balance.counts == std::vector<std::int64_t>{200, 0, 0, 200});
    CHECK(balance.countsOutsideBands() == 4);
    CHECK(balance.ranksWithinChance() == 0);

    const BatchBalance steps = batchBalance(plan, labels, {"even", "odd"});
    CHECK(steps.steps == 20);
    CHECK(steps.count(0, 0) == 10);
    CHECK(steps.count(19, 1) == 10);
    CHECK(steps.band(0, 0).expected == Approx(10));
}

TEST_CASE("a rank with one sample less is compared with its own number") {
    ShardSpec spec = inOrder(9, 2, 4);
    spec.kind = SamplerKind::kUnpadded;  // the ranks have 5 and 4 samples
    const std::vector<std::uint16_t> labels{0, 0, 0, 1, 1, 1, 2, 2, 2};
    const ClassBalance balance = classBalance(ShardPlan::make(spec).value(), labels, {"a", "b", "c"});
    CHECK(balance.band(0, 0).expected == Approx(5.0 / 3));
    CHECK(balance.band(1, 0).expected == Approx(4.0 / 3));
    CHECK(balance.count(0, 0) == 2);  // samples 0 2 4 6 8
    CHECK(balance.count(1, 0) == 1);  // samples 1 3 5 7
}

TEST_CASE("the number of ranks outside the range that is expected by chance") {
    // 95 % quantile of a binomial distribution with n ranks and p = 0.05.
    const auto most = [](int ranks) { return ClassBalance{ranks, 1, {}, {}}.expectedRanksOutside(); };
    CHECK(most(1) == 0);   // P(0) = 0.95
    CHECK(most(2) == 1);   // 0.9025, 0.9975
    CHECK(most(4) == 1);   // 0.8145, 0.9860
    CHECK(most(8) == 2);   // 0.6634, 0.9428, 0.9942
    CHECK(most(64) == 6);  // P(<= 5) = 0.8999, P(<= 6) = 0.9597
}

TEST_CASE("the distance of a rank is Pearson's statistic with the correction for a finite set") {
    const std::vector<std::uint16_t> labels{0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 9, 2};  // 9 counts as the last class
    const ClassBalance balance = classBalance(ShardPlan::make(inOrder(12, 2, 4)).value(), labels, {"a", "b", "c"});
    CHECK(balance.classSizes == std::vector<std::int64_t>{3, 4, 5});
    CHECK(balance.counts == std::vector<std::int64_t>{2, 2, 2, 1, 2, 3});
    const double correction = (12.0 - 6) / (12 - 1);
    CHECK(balance.distance(0) == Approx((0.25 / 1.5 + 0 + 0.25 / 2.5) / correction));
    CHECK(balance.distance(1) == Approx((0.25 / 1.5 + 0 + 0.25 / 2.5) / correction));
    CHECK(balance.ranksWithinChance() == 2);
    CHECK(balance.countsOutsideBands() == 0);
}

TEST_CASE("the limit of the distance is the 95 % point of the chi-square distribution") {
    const auto limit = [](int classes) { return ClassBalance{1, classes, {}, {}}.distanceLimit(); };
    // From tables of the chi-square distribution. The approximation is within 0.5 % from 5 degrees of freedom on.
    CHECK(limit(6) == Approx(11.0705).epsilon(0.005));
    CHECK(limit(10) == Approx(16.9190).epsilon(0.002));
    CHECK(limit(100) == Approx(123.2252).epsilon(0.001));
    CHECK(limit(2) == Approx(3.8415).epsilon(0.03));
    CHECK(limit(1) == limit(2));
}

TEST_CASE("each step's batch is counted over the ranks, with padding and a shorter last step") {
    std::vector<std::uint16_t> labels(10);
    for (std::uint16_t sample = 0; sample < 10; ++sample) labels[sample] = sample < 6 ? 0 : 1;
    // Ranks get 0 4 8 | 1 5 9 | 2 6 0 | 3 7 1 in batches of two.
    const BatchBalance steps = batchBalance(ShardPlan::make(inOrder(10, 4, 2)).value(), labels, {"a", "b"});
    CHECK((steps.steps == 2 && steps.stepsOfEpoch == 2 && steps.datasetSize == 10 && steps.classes == 2));
    CHECK(steps.sizes == std::vector<std::int64_t>{8, 4});
    CHECK(steps.counts == std::vector<std::int32_t>{6, 2, 2, 2});
    CHECK(steps.classSizes == std::vector<std::int64_t>{6, 4});
    CHECK(steps.countsOutsideBands() == 0);
}

TEST_CASE("steps beyond four million counts are not counted") {
    const std::vector<std::string> names(400'000, "a");
    const std::vector<std::uint16_t> labels(20);
    const BatchBalance steps = batchBalance(ShardPlan::make(inOrder(20, 1, 1)).value(), labels, names);
    CHECK(steps.steps == 10);
    CHECK(steps.stepsOfEpoch == 20);
    CHECK(steps.counts.size() == 4'000'000);
}

TEST_CASE("a stopped count has no samples") {
    const std::atomic<bool> stop = true;
    const std::vector<std::uint16_t> labels(10);
    const ShardPlan plan = ShardPlan::make(inOrder(10, 2, 1)).value();
    CHECK(classBalance(plan, labels, {"a"}, &stop).counts == std::vector<std::int64_t>{0, 0});
    CHECK(batchBalance(plan, labels, {"a"}, &stop).sizes == std::vector<std::int64_t>(5));
}
