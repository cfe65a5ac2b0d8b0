// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "support/catch.h"
#include "telemetry/curves/series.h"

using namespace ringside;

namespace {

SeriesPoint point(std::int64_t step, float value) {
    SeriesPoint one;
    one.step = step;
    one.mean = one.minimum = one.maximum = value;
    return one;
}

}  // namespace

TEST_CASE("a series keeps single steps until it is full") {
    Series series(4);
    for (int i = 1; i <= 4; ++i) series.add(point(i, static_cast<float>(i)));
    REQUIRE(series.points().size() == 4);
    CHECK(series.stepsPerPoint() == 1);
    CHECK(series.points()[2].mean == 3.0F);
}

TEST_CASE("a full series merges neighbours with exact mean, minimum and maximum") {
    Series series(4);
    for (int i = 1; i <= 5; ++i) series.add(point(i, static_cast<float>(10 * i)));
    REQUIRE(series.points().size() == 3);
    CHECK(series.stepsPerPoint() == 2);
    CHECK(series.points()[0].mean == 15.0F);
    CHECK(series.points()[0].minimum == 10.0F);
    CHECK(series.points()[0].maximum == 20.0F);
    CHECK(series.points()[0].step == 2);
    CHECK(series.points()[1].mean == 35.0F);
    CHECK(series.points()[2].mean == 50.0F);
    CHECK(series.points()[2].count == 1);
    series.add(point(6, 70.0F));
    REQUIRE(series.points().size() == 3);
    CHECK(series.points()[2].mean == 60.0F);
    CHECK(series.points()[2].count == 2);
}

TEST_CASE("a thousand steps in eight points still have the mean and range of the whole") {
    Series series(8);
    for (int i = 1; i <= 1000; ++i) series.add(point(i, static_cast<float>(i)));
    REQUIRE(series.points().size() <= 8);
    double sum = 0;
    std::int64_t count = 0;
    float least = 1e9F;
    float most = 0;
    for (const SeriesPoint& one : series.points()) {
        sum += double{one.mean} * one.count;
        count += one.count;
        least = std::min(least, one.minimum);
        most = std::max(most, one.maximum);
    }
    CHECK(count == 1000);
    CHECK(sum == Approx(500500.0));  // 1000 * 1001 / 2
    CHECK(least == 1.0F);
    CHECK(most == 1000.0F);
    CHECK(series.points().back().step == 1000);
}

TEST_CASE("NaN appears in the mean and does not hide extremes") {
    Series series(2);
    series.add(point(1, 1.0F));
    series.add(point(2, std::numeric_limits<float>::quiet_NaN()));
    series.add(point(3, 5.0F));
    CHECK(std::isnan(series.points()[0].mean));
    CHECK(series.points()[0].minimum == 1.0F);
    CHECK(series.points()[0].maximum == 1.0F);
}

TEST_CASE("a cleared series starts again at single steps") {
    Series series(2);
    for (int i = 1; i <= 9; ++i) series.add(point(i, 1.0F));
    series.clear();
    CHECK(series.points().empty());
    CHECK(series.stepsPerPoint() == 1);
}

TEST_CASE("coarse points are merged only when fine points are as coarse") {
    Series series(6);
    for (int i = 1; i <= 4; ++i) series.add(point(i, 1.0F));
    for (int i = 2; i <= 4; ++i) {
        SeriesPoint wide = point(4 * i, static_cast<float>(i));
        wide.count = 4;
        series.add(wide);
    }
    // Four single steps were merged to two pairs. The windows of four steps were not changed.
    REQUIRE(series.points().size() == 5);
    CHECK(series.points()[0].count == 2);
    CHECK(series.points()[1].count == 2);
    CHECK(series.points()[2].count == 4);
    CHECK(series.points()[4].mean == 4.0F);
}
