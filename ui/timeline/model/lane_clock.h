// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "telemetry/traces/trace_data.h"

namespace ringside {

// Converts times of the run's clock to positions on the time axis of the lanes. Consecutive traced steps keep their
// true distances. Long gaps (steps without a trace, validation) and long pauses of all ranks within a step are
// shortened.
class LaneClock {
  public:
    struct Stretch {
        std::int64_t beginNs = 0;
        std::int64_t endNs = 0;
        double shown = 0;  // position of beginNs on the axis with shortened gaps, in nanoseconds
        std::int64_t firstStep = 0;
        std::int64_t lastStep = 0;
        std::int64_t untraced = 0;  // number of steps without a trace between the previous stretch and this one
        std::int64_t cutNs = 0;     // length of the shortened gap before this stretch
        bool afterPause = false;    // true if this gap is a pause within a step
        double shownEnd() const { return shown + static_cast<double>(endNs - beginNs); }
    };

    void read(const TraceData& trace);
    // Sets the end of the unfinished activity after the last step of a stalled or failed run. This activity is shown
    // with a fixed length, kOpenShown times the length of a step. If untilNs is not after the end of the last step,
    // there is no such activity.
    void setOpenEnd(std::int64_t untilNs);

    const std::vector<Stretch>& stretches() const { return m_stretches; }
    bool empty() const { return m_stretches.empty(); }
    double shownAt(std::int64_t ns) const;
    std::int64_t timeAt(double shown) const;
    double beginShown() const { return empty() ? 0 : m_stretches.front().shown; }
    double endShown() const;  // returns the position of the end of the last step on the lanes, in nanoseconds
    // Returns the end of the axis in nanoseconds: the end of the last step or, in a stalled or failed run, the end of
    // the activity after that step.
    double wholeShown() const { return endShown() + m_openShown; }
    double stepLength() const { return m_stepNs; }  // returns the typical length of a step, in nanoseconds

  private:
    void cutPauses(std::int64_t number, const TracedStep& step);

    std::vector<Stretch> m_stretches;
    std::int64_t m_openUntilNs = -1;
    double m_openShown = 0;
    double m_stepNs = 1e6;
};

}  // namespace ringside
