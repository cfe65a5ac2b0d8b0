// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QString>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <vector>

#include "charts/axis_range.h"

namespace ringside {

struct CurvePoint {
    double x = 0;
    double y = 0;
    // lower limit of the band, whose upper limit is `maximum`; both are ignored for curves without a band
    double minimum = 0;
    double maximum = 0;
    bool operator==(const CurvePoint&) const = default;
};

// Points of a curve. A copy shares the points with the original object, so it also has the points that are added later.
// isSame() is true for objects that share their points. A shared curve only grows at its end: only its last point may
// still change.
class CurvePoints {
  public:
    CurvePoints() : m_points(std::make_shared<std::vector<CurvePoint>>()) {}
    CurvePoints(std::initializer_list<CurvePoint> points)
        : m_points(std::make_shared<std::vector<CurvePoint>>(points)) {}

    bool empty() const { return m_points->empty(); }
    std::size_t size() const { return m_points->size(); }
    const CurvePoint& operator[](std::size_t index) const { return (*m_points)[index]; }
    const CurvePoint& front() const { return m_points->front(); }
    const CurvePoint& back() const { return m_points->back(); }
    auto begin() const { return m_points->cbegin(); }
    auto end() const { return m_points->cend(); }
    bool isSame(const CurvePoints& other) const { return m_points == other.m_points; }

    void reserve(std::size_t count) { m_points->reserve(count); }
    void push_back(const CurvePoint& point) { m_points->push_back(point); }
    void dropLast() { m_points->pop_back(); }

  private:
    std::shared_ptr<std::vector<CurvePoint>> m_points;
};

// One curve of a chart. The x values of its points must not decrease; y is NaN if nothing was measured.
struct Curve {
    enum class Kind {
        Line,        // smoothed curve, with the raw line faded behind it
        BandLine,    // smoothed curve over a band from minimum to maximum
        MarkedLine,  // line through few points with a marker each, never smoothed
        Stack        // layer of stacked areas, filled from minimum to maximum, never smoothed; y is maximum - minimum
    };

    QString key;   // identifier of the curve that does not depend on the language of the window, such as "loss.train"
    QString name;  // name of the curve in the legend
    QColor color;
    Kind kind = Kind::Line;
    CurvePoints points;
    int rank = -1;  // rank whose values the curve shows; -1: values of all ranks together
};

// Returns the range from the smallest to the largest x of all curves; empty if there are no points.
AxisRange wholeRange(const std::vector<Curve>& curves);

// Returns the last point of the curve at or before x; null if there is none.
const CurvePoint* pointAt(const Curve& curve, double x);

}  // namespace ringside
