// SPDX-License-Identifier: Apache-2.0
#include "comm/hosts/contribution_watch.h"

#include <array>
#include <limits>

#include "support/catch.h"

using namespace ringside;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// Runs one step of three ranks, of which this process is rank 0. The arguments are the largest gradient value of each
// rank.
void step(ContributionWatch& watch, float own, float first, float second) {
    const std::array values{own, first, second};
    for (std::size_t rank = 0; rank < values.size(); ++rank) {
        watch.addValues(rank, std::array{0.25F, -values[rank], 0.0F});
        watch.addValues(rank, std::array{0.125F});
    }
    watch.endStep();
}

}  // namespace

TEST_CASE("a rank is suspected if its values are not finite or far larger than those of this rank") {
    for (const float garbage : {kInfinity, kNaN, 1e30F, 3e6F}) {
        CAPTURE(garbage);
        ContributionWatch watch({0, 4, 7}, 0);
        step(watch, 0.5F, 0.75F, garbage);
        const auto found = watch.suspectedContributor();
        REQUIRE(found);
        CHECK(found->rank == 7);
        CHECK_THAT(found->text, containing("the rank sent gradients"));
        CHECK_THAT(found->text, containing("the gradients of rank 0 have absolute values of at most 0.5"));
    }
}

TEST_CASE("no rank is suspected in a diverging training") {
    ContributionWatch watch({0, 1, 2}, 0);
    step(watch, 1e20F, 3e22F, 5e18F);  // the values of all ranks are large
    CHECK_FALSE(watch.suspectedContributor());
    step(watch, 1e20F, 3e22F, 5e18F);
    step(watch, kNaN, kInfinity, 1e30F);  // the values of all ranks are then outside or near the end of float32's range
    CHECK_FALSE(watch.suspectedContributor());
    // Small gradients of rank 0, which has almost no error, next to a rank with large errors.
    step(watch, 1e-9F, 9e5F, 1.0F);
    step(watch, 1e-9F, 9e5F, 1.0F);
    CHECK_FALSE(watch.suspectedContributor());
}

TEST_CASE("a suspicion lasts until the step in which the effect is visible, and not longer") {
    ContributionWatch watch({0, 1, 2}, 0);
    step(watch, 0.5F, kNaN, 0.5F);
    watch.addValues(0, std::array{kNaN});  // this rank's gradients of the next step, computed from weights that are NaN
    watch.addValues(1, std::array{kNaN});
    REQUIRE(watch.suspectedContributor());
    CHECK(watch.suspectedContributor()->rank == 1);
    watch.endStep();
    step(watch, 0.5F, 0.5F, 0.5F);
    CHECK_FALSE(watch.suspectedContributor());
}

TEST_CASE("no rank is named if two ranks sent garbage, because the first may have affected the second") {
    ContributionWatch watch({0, 1, 2}, 0);
    step(watch, 0.5F, kNaN, kInfinity);
    CHECK_FALSE(watch.suspectedContributor());
}
