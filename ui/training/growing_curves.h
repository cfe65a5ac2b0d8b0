// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "charts/curve.h"
#include "telemetry/data/run_data.h"
#include "training/run_parts.h"

namespace ringside {

// Cache of a page's curves between redraws. A redraw during a live run copies only the new points.
class GrowingCurves {
  public:
    // Function that returns a series of a run, such as its losses; null if the run does not have the series.
    using SeriesOf = std::function<const Series*(const RunData&)>;

    // Returns the curve `start` with the current points of all runs in `parts`. seriesOf: returns the series of a run.
    // The curve gets a band from the minimum to the maximum if these differ at any point.
    Curve follow(Curve start, const RunParts& parts, XAxis axis, const SeriesOf& seriesOf);
    void clear() { m_held.clear(); }  // clears the cache; call when another run is shown

  private:
    struct Source {
        const Series* series = nullptr;
        std::int64_t stepsPerPoint = 0;
        RunPart part;
        bool isOfRank = false;
        bool operator==(const Source&) const = default;
    };
    struct Held {
        XAxis axis = XAxis::Step;
        std::vector<Source> sources;
        std::size_t copied = 0;  // number of points in `points` that come from the last source
        bool hasBand = false;
        CurvePoints points;
    };
    static bool continuesCurves(const Held& held, XAxis axis, const std::vector<Source>& sources);
    static double xOf(const Source& source, const SeriesPoint& point, XAxis axis);
    static std::int64_t lastPlacedStep(const Source& source, XAxis axis);
    static void append(Held& held, const Source& source, std::size_t from);

    std::map<QString, Held> m_held;  // cached curves, by key of the curve
};

}  // namespace ringside
