// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/decimator.h"

#include <cmath>
#include <limits>

#include "support/catch.h"

using namespace ringside;

TEST_CASE("of many points per pixel the minimum and maximum are kept in order") {
    // The points lie in two pixel columns: x in [0, 2) and [2, 4].
    const QList<QPointF> points{{0, 5}, {0.5, 9}, {1, 1}, {1.5, 5}, {2, 3}, {2.5, 2}, {3, 7}, {4, 4}};
    const QList<QPointF> result = decimated(points, {0, 4, 2});
    CHECK(result == QList<QPointF>{{0.5, 9}, {1, 1}, {2.5, 2}, {3, 7}});
}

TEST_CASE("all of few points are kept") {
    const QList<QPointF> points{{0, 1}, {50, 3}, {100, 2}};
    CHECK(decimated(points, {0, 100, 100}) == points);
}

TEST_CASE("one neighbour beyond each edge is kept, so that the line reaches the edge") {
    const QList<QPointF> points{{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}};
    CHECK(decimated(points, {2, 3, 10}) == QList<QPointF>{{1, 1}, {2, 2}, {3, 3}, {4, 4}});
}

TEST_CASE("a hundred thousand points become at most two for each pixel, and no peak is lost") {
    QList<QPointF> points;
    for (int at = 0; at < 100'000; ++at) points.append({at * 1.0, std::sin(at * 0.7)});
    points[31'415].setY(100);
    points[77'777].setY(-100);
    const QList<QPointF> result = decimated(points, {0, 99'999, 500});
    CHECK(result.size() <= 1000);
    CHECK(result.contains(QPointF(31'415, 100)));
    CHECK(result.contains(QPointF(77'777, -100)));
    for (qsizetype at = 1; at < result.size(); ++at) REQUIRE(result[at - 1].x() <= result[at].x());
}

TEST_CASE("NaN is skipped, and no points give no points") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const QList<QPointF> points{{0, nan}, {1, 2}, {2, nan}};
    CHECK(decimated(points, {0, 2, 10}) == QList<QPointF>{{1, 2}});
    CHECK(decimated(QList<QPointF>(), {0, 1, 10}).isEmpty());
    CHECK(decimated(points, {1, 1, 10}).size() <= 2);  // an axis of no width
}

TEST_CASE("the edges of a band keep the minimum and maximum of every pixel") {
    const QList<QPointF> points{{0, 5}, {0.5, 9}, {1, 1}, {2, 3}, {3, 7}, {4, 4}};
    CHECK(decimatedEdge(points, {0, 4, 2}, Edge::Lower) == QList<QPointF>{{1, 1}, {2, 3}});
    CHECK(decimatedEdge(points, {0, 4, 2}, Edge::Upper) == QList<QPointF>{{0.5, 9}, {3, 7}});
}
