// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "telemetry/data/trace_data.h"

namespace ringside {

// Where a moment of the run's clock stands on the lanes. Steps that follow one another keep their true distances; what
// lies between traced steps and says nothing (steps that were not traced, a validation, a pause) is cut short.
class LaneClock {
  public:
    struct Stretch {
        std::int64_t beginNs = 0;
        std::int64_t endNs = 0;
        double shown = 0;  // of beginNs, in nanoseconds of the lanes
        std::int64_t firstStep = 0;
        std::int64_t lastStep = 0;
        std::int64_t untraced = 0;  // steps before it that are in no trace
        std::int64_t cutNs = 0;     // time before it that is cut short
        double shownEnd() const { return shown + static_cast<double>(endNs - beginNs); }
    };

    void read(const TraceData& trace);
    // What goes on behind the last step until then, cut short as well; below its end: nothing does.
    void setOpenEnd(std::int64_t untilNs);

    const std::vector<Stretch>& stretches() const { return m_stretches; }
    bool empty() const { return m_stretches.empty(); }
    double shownAt(std::int64_t ns) const;
    std::int64_t timeAt(double shown) const;
    double beginShown() const { return empty() ? 0 : m_stretches.front().shown; }
    double endShown() const;                                        // of the last step
    double wholeShown() const { return endShown() + m_openShown; }  // with what is open behind it
    double stepLength() const { return m_stepNs; }                  // typical

  private:
    std::vector<Stretch> m_stretches;
    std::int64_t m_openUntilNs = -1;
    double m_openShown = 0;
    double m_stepNs = 1e6;
};

}  // namespace ringside
