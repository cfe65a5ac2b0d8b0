// SPDX-License-Identifier: Apache-2.0
#include "sampling/findings/chance_band.h"

#include <bit>

#include "sampling/findings/class_balance.h"
#include "support/catch.h"

using namespace ringside;

namespace {

// Returns, by enumeration, the share of all selections of `drawn` out of n samples in which the number of samples of
// the class (the first `ofClass` samples) is outside the band.
double enumerated(unsigned n, unsigned ofClass, unsigned drawn) {
    const ChanceBand band = chanceBand(n, ofClass, drawn);
    const std::uint32_t inClass = (1U << ofClass) - 1;
    std::int64_t all = 0, outside = 0;
    for (std::uint32_t chosen = 0; chosen < (1U << n); ++chosen) {
        if (std::popcount(chosen) != static_cast<int>(drawn)) continue;
        ++all;
        outside += isOutside(std::popcount(chosen & inClass), band) ? 1 : 0;
    }
    return static_cast<double>(outside) / static_cast<double>(all);
}

}  // namespace

TEST_CASE("the probability of being outside equals a manual count") {
    // 10 of 20 drawn, 10 of the class: variance 10 * 0.5 * 0.5 * 10 / 19 = 1.3158, band 5 -+ 2.2483, so 2 to 8 are
    // inside. Outside are 0, 1, 9 and 10: 2 * (1 + 10 * 10) of C(20, 10) = 184756 selections.
    CHECK(probabilityOutsideBand(20, 10, 10) == Approx(202.0 / 184756).epsilon(1e-12));
}

TEST_CASE("the probability of being outside equals the share among all selections") {
    for (const unsigned n : {12U, 15U})
        for (unsigned ofClass = 0; ofClass <= n; ++ofClass)
            for (unsigned drawn = 0; drawn <= n; ++drawn) {
                INFO(n << " samples, " << ofClass << " of the class, " << drawn << " drawn");
                CHECK(probabilityOutsideBand(n, ofClass, drawn) == Approx(enumerated(n, ofClass, drawn)).margin(1e-12));
            }
}

TEST_CASE("a count that cannot leave its band is never outside by chance") {
    CHECK(probabilityOutsideBand(1437, 143, 1) == 0);     // the count is 0 or 1, and the band ends at 1
    CHECK(probabilityOutsideBand(1437, 143, 1437) == 0);  // all samples are drawn
    CHECK(probabilityOutsideBand(1437, 143, 4000) == 0);  // more slots than samples
    CHECK(probabilityOutsideBand(0, 0, 0) == 0);
}

TEST_CASE("for large counts nearly 5 % are outside") {
    const double outside = probabilityOutsideBand(1'281'167, 128'117, 640'583);
    CHECK(outside > 0.048);
    CHECK(outside < 0.0501);
}

TEST_CASE("the expected number outside is the sum over ranks and classes, and over steps and classes") {
    ShardSpec spec;
    spec.datasetSize = 12;
    spec.worldSize = 2;
    spec.shuffle = false;
    spec.batchSize = 4;
    const ShardPlan plan = ShardPlan::make(spec).value();
    const std::vector<std::uint16_t> labels{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2};  // classes of 6, 4 and 2
    const auto ofBatch = [](unsigned drawn) {
        return enumerated(12, 6, drawn) + enumerated(12, 4, drawn) + enumerated(12, 2, drawn);
    };
    const ClassBalance balance = classBalance(plan, labels, {"a", "b", "c"});
    CHECK(balance.expectedOutside() == Approx(2 * ofBatch(6)).margin(1e-12));
    CHECK(balance.outsideByChance[1] == Approx(ofBatch(6)).margin(1e-12));
    const BatchBalance steps = batchBalance(plan, labels, {"a", "b", "c"});
    CHECK(steps.sizes == std::vector<std::int64_t>{8, 4});
    CHECK(steps.expectedOutside() == Approx(ofBatch(8) + ofBatch(4)).margin(1e-12));
}
