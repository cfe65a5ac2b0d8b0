// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/axis_range.h"
#include "charts/axis_ticks.h"
#include "support/catch.h"

using namespace ringside;

namespace {

std::vector<QString> labels(const std::vector<AxisTick>& ticks) {
    std::vector<QString> result;
    for (const AxisTick& tick : ticks) result.push_back(tick.label);
    return result;
}

}  // namespace

TEST_CASE("ticks are round numbers with as many decimals as they need") {
    CHECK(labels(axisTicks(0, 120, 6)) == std::vector<QString>{"0", "20", "40", "60", "80", "100", "120"});
    CHECK(labels(axisTicks(0, 2, 4)) == std::vector<QString>{"0.0", "0.5", "1.0", "1.5", "2.0"});
    CHECK(labels(axisTicks(0, 1, 4, NumberStyle::Percent)) ==
          std::vector<QString>{"0 %", "25 %", "50 %", "75 %", "100 %"});
    CHECK(labels(axisTicks(0, 8000, 4)) == std::vector<QString>{"0", "2k", "4k", "6k", "8k"});
    CHECK(labels(axisTicks(0, 4e28, 2)) == std::vector<QString>{"0", "2e+28", "4e+28"});
    CHECK(labels(axisTicks(-1, 1, 2)) == std::vector<QString>{"-1", "0", "1"});
}

TEST_CASE("counts have no ticks between whole numbers") {
    CHECK(labels(axisTicks(0, 8, 4, NumberStyle::Whole)) == std::vector<QString>{"0", "2", "4", "6", "8"});
    CHECK(labels(axisTicks(0, 2, 4, NumberStyle::Whole)) == std::vector<QString>{"0", "1", "2"});
}

TEST_CASE("times are in seconds, then in minutes") {
    CHECK(labels(axisTicks(0, 4, 4, NumberStyle::Seconds)) == std::vector<QString>{"0 s", "1 s", "2 s", "3 s", "4 s"});
    CHECK(labels(axisTicks(0, 240, 4, NumberStyle::Seconds)) ==
          std::vector<QString>{"0 s", "1:00", "2:00", "3:00", "4:00"});
}

TEST_CASE("a logarithmic axis has its decades, and 2 and 5 between when they are few") {
    CHECK(labels(logAxisTicks(-1, 1, 5)) == std::vector<QString>{"0.1", "0.2", "0.5", "1", "2", "5", "10"});
    CHECK(labels(logAxisTicks(-6, 0, 3)) == std::vector<QString>{"1e-06", "0.0001", "0.01", "1"});
}

TEST_CASE("an axis ends on ticks, begins at zero if it is near, and is never empty") {
    CHECK(niceRange({0.1, 2.3}, 4) == AxisRange{0, 3});
    CHECK(niceRange({}, 4) == AxisRange{0, 1});
    const AxisRange high = niceRange({6150, 6400}, 4);
    CHECK(high.minimum <= 6150);
    CHECK(high.minimum >= 6000);
    CHECK(high.maximum >= 6400);
    CHECK(niceRange({5, 5}, 4).width() > 0);
}

TEST_CASE("zooming keeps the value under the pointer and stays within the full range") {
    const AxisRange whole{0, 100};
    CHECK(zoomed(whole, whole, 50, 2) == AxisRange{25, 75});
    CHECK(zoomed(whole, whole, 0, 2) == AxisRange{0, 50});
    CHECK(zoomed({25, 75}, whole, 50, 0.1) == whole);
    CHECK(zoomed({80, 100}, whole, 80, 0.5) == AxisRange{60, 100});
}

TEST_CASE("values far above the other values are outliers in the first tenth, and never later") {
    std::vector<QPointF> points;
    for (int x = 0; x < 200; ++x) points.emplace_back(x, x < 10 ? 100.0 : 1.0 + 0.01 * (x % 100));
    // The other points lie between 1 and 1.99. The range extends beyond them by half of their range.
    CHECK(rangeWithoutOutliers(points).maximum == Approx(1.99 + 0.5 * 0.99));
    CHECK(rangeWithoutOutliers(points).minimum == 1.0);
    points[150].setY(100);  // a jump in the middle is not left out
    CHECK(rangeWithoutOutliers(points).maximum == 100);
}

TEST_CASE("few points and an even decline have no outliers") {
    std::vector<QPointF> few;
    for (int x = 0; x < 49; ++x) few.emplace_back(x, x == 0 ? 100.0 : 1.0 + x);
    CHECK(rangeWithoutOutliers(few).maximum == 100);
    std::vector<QPointF> even;
    for (int x = 0; x < 200; ++x) even.emplace_back(x, 200.0 - x);
    CHECK(rangeWithoutOutliers(even).maximum == 200);
    CHECK(rangeWithoutOutliers({}).empty());
}
