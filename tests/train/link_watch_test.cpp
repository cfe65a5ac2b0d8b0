// SPDX-License-Identifier: Apache-2.0
#include "train/observe/link_watch.h"

#include "support/catch.h"

using namespace ringside;

TEST_CASE("link traffic is reported after one second and then every five seconds") {
    LinkWatch watch(3);
    std::vector<LinkStatistics> now{{5, 210, 1000, 400, 30}, {1, 90, 0, 0}};
    int queries = 0;
    const auto readings = [&] {
        ++queries;
        return now;
    };
    const auto summaryAt = [&](std::int64_t us) { return watch.takeSummary(us, readings); };
    CHECK_FALSE(watch.takeSummary(10, readings));
    now = {{5, 200, 1500, 900, 40}, {1, 90, 70, 0}, {7, 60, 8, 2}};
    CHECK_FALSE(summaryAt(200'009));
    CHECK(queries == 1);
    CHECK_FALSE(summaryAt(1'000'009));
    CHECK(queries == 2);  // of a part of the interval
    const auto summary = summaryAt(1'000'010);
    REQUIRE(summary);
    CHECK(summary->rank == 3);
    CHECK(summary->peer == std::vector<std::int64_t>{1, 5, 7});
    CHECK(summary->roundTripUs == std::vector<std::int64_t>{90, 200, 60});
    CHECK(summary->bytes == std::vector<std::int64_t>{70, 500, 8});
    CHECK(summary->busyUs == std::vector<std::int64_t>{0, 500, 2});
    CHECK(summary->waitUs == std::vector<std::int64_t>{0, 10, 0});
    CHECK(summary->lengthUs == 1'000'000);
    CHECK_FALSE(watch.takeSummary(6'000'009, readings));
    const auto again = watch.takeSummary(6'000'010, readings);
    REQUIRE(again);
    CHECK(again->bytes == std::vector<std::int64_t>{0, 0, 0});
    CHECK(again->lengthUs == 5'000'000);
}

TEST_CASE("moments in which the computer is busy do not make a link slower") {
    LinkWatch watch(0);
    LinkStatistics link{1, 90, 0, 0};
    const auto part = [&](std::int64_t us, std::int64_t bytes, std::int64_t busyUs) {
        link.bytes += bytes;
        link.busyUs += busyUs;
        return watch.takeSummary(us, [&] { return std::vector{link}; });
    };
    part(0, 0, 0);
    part(200'000, 5'000'000, 40'000);  // 1 Gbit/s
    part(400'000, 5'000'000, 180'000);
    part(600'000, 2'000'000, 190'000);
    part(800'000, 5'000'000, 40'000);
    const auto summary = part(1'000'000, 3'000'000, 200'000);
    REQUIRE(summary);
    CHECK(summary->bytes == std::vector<std::int64_t>{20'000'000});
    CHECK(summary->busyUs == std::vector<std::int64_t>{160'000});  // 20 MB at 1 Gbit/s
}

TEST_CASE("a narrow link is as narrow as its bytes and times") {
    LinkWatch watch(0);
    LinkStatistics link{1, 90, 0, 0};
    std::optional<RankLinks> summary;
    for (const std::int64_t us : {0, 300'000, 500'000, 900'000, 1'000'000}) {
        link.bytes = us * 2;  // 16 Mbit/s in the average, 20 Mbit/s while bytes are in flight
        link.busyUs = us * 4 / 5;
        summary = watch.takeSummary(us, [&] { return std::vector{link}; });
    }
    REQUIRE(summary);
    CHECK(summary->busyUs == std::vector<std::int64_t>{800'000});
    // The next interval measures its own rates.
    for (const std::int64_t us : {1'200'000, 6'000'000}) {
        link.bytes += us == 6'000'000 ? 1'000'000 : 100;
        link.busyUs += 500'000;
        summary = watch.takeSummary(us, [&] { return std::vector{link}; });
    }
    REQUIRE(summary);
    CHECK(summary->busyUs == std::vector<std::int64_t>{500'050});  // 1,000,100 bytes at 2 bytes per microsecond
}

TEST_CASE("on one host no link traffic is reported") {
    LinkWatch watch(0);
    CHECK_FALSE(watch.takeSummary(0, [] { return std::vector<LinkStatistics>(); }));
    CHECK_FALSE(watch.takeSummary(60'000'000, [] { return std::vector<LinkStatistics>(); }));
}
