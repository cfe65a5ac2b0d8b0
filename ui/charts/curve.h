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
    double minimum = 0;  // of the band; ignored without one
    double maximum = 0;
    bool operator==(const CurvePoint&) const = default;
};

// The points of a curve, shared by its copies. A curve grows at its end: while it is the same one (isSame), all but the
// last point it had stay as they were.
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

// One line of a chart. x does not decrease; y may be NaN where nothing was measured.
struct Curve {
    enum class Kind {
        Line,        // smoothed, with the raw line faded behind it
        BandLine,    // the same over a band from minimum to maximum
        MarkedLine,  // few points, each with a marker, never smoothed
        Stack        // filled from minimum to maximum, where y is its own height; never smoothed
    };

    QString key;   // what it is, in any language and on every redraw: "loss.train"
    QString name;  // as the legend shows it
    QColor color;
    Kind kind = Kind::Line;
    CurvePoints points;
};

// From the first x of all curves to the last; empty without points.
AxisRange wholeRange(const std::vector<Curve>& curves);

// The last point at or before x, or null.
const CurvePoint* pointAt(const Curve& curve, double x);

}  // namespace ringside
