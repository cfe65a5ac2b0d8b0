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

// The curves of a page from one redraw to the next: of a run that goes on only what is new is copied.
class GrowingCurves {
  public:
    using SeriesOf = std::function<const Series*(const RunData&)>;  // null: none of this run

    // What `start` names, with the points of the series up to now. A line becomes a band where a point stands for
    // several values.
    Curve follow(Curve start, const RunParts& parts, XAxis axis, const SeriesOf& seriesOf);
    void forget() { m_held.clear(); }  // where another run is shown

  private:
    struct Source {
        const Series* series = nullptr;
        std::int64_t stepsPerPoint = 0;
        RunPart part;
        bool operator==(const Source&) const = default;
    };
    struct Held {
        XAxis axis = XAxis::Step;
        std::vector<Source> sources;
        std::size_t copied = 0;  // of the last source
        bool hasBand = false;
        CurvePoints points;
    };
    static bool goesOn(const Held& held, XAxis axis, const std::vector<Source>& sources);
    static void append(Held& held, const Source& source, std::size_t from);

    std::map<QString, Held> m_held;  // by the curve's key
};

}  // namespace ringside
