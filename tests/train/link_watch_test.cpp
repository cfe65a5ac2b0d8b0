// SPDX-License-Identifier: Apache-2.0
#include "train/observe/link_watch.h"

#include "support/catch.h"

using namespace ringside;

TEST_CASE("link traffic is reported after one second and then every five seconds") {
    LinkWatch watch(3);
    std::vector<LinkStatistics> now{{5, 210, 1000, 400}, {1, 90, 0, 0}};
    int asked = 0;
    const auto readings = [&] {
        ++asked;
        return now;
    };
    CHECK_FALSE(watch.look(10, readings));
    now = {{5, 200, 1500, 900}, {1, 90, 70, 0}, {7, 60, 8, 2}};
    CHECK_FALSE(watch.look(1'000'009, readings));
    CHECK(asked == 1);
    const auto told = watch.look(1'000'010, readings);
    REQUIRE(told);
    CHECK(told->rank == 3);
    CHECK(told->peer == std::vector<std::int64_t>{1, 5, 7});
    CHECK(told->roundTripUs == std::vector<std::int64_t>{90, 200, 60});
    CHECK(told->bytes == std::vector<std::int64_t>{70, 500, 8});
    CHECK(told->busyUs == std::vector<std::int64_t>{0, 500, 2});
    CHECK(told->lengthUs == 1'000'000);
    CHECK_FALSE(watch.look(6'000'009, readings));
    const auto again = watch.look(6'000'010, readings);
    REQUIRE(again);
    CHECK(again->bytes == std::vector<std::int64_t>{0, 0, 0});
    CHECK(again->lengthUs == 5'000'000);
}

TEST_CASE("on one host no link traffic is reported") {
    LinkWatch watch(0);
    CHECK_FALSE(watch.look(0, [] { return std::vector<LinkStatistics>(); }));
    CHECK_FALSE(watch.look(60'000'000, [] { return std::vector<LinkStatistics>(); }));
}
