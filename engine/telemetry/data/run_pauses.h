// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "telemetry/events/events.h"

namespace ringside {

// Control commands that a run executed, and the state that results from them: pauses, slow motion and the number of
// epochs.
class RunPauses {
  public:
    // ranks report each phase if slow motion limits the run to this number of steps per second or fewer
    static constexpr double kShowsPhasesAt = 5;

    void add(const Controlled& event);

    // Returns the control commands in order, at most 10,000.
    const std::vector<Controlled>& controls() const { return m_controls; }
    bool isPaused() const { return m_pausedFromUs.has_value(); }
    // Returns the phase at whose end the run is paused. May be called only while isPaused() is true.
    std::optional<Phase> pausedAfter() const { return m_controls.back().after; }
    // Returns the number of steps per second to which slow motion limits the run; 0: no limit.
    double rate() const { return m_rate; }
    // True while ranks report each phase that they enter: if the run is paused, or if slow motion limits the rate to at
    // most kShowsPhasesAt.
    bool showsPhases() const { return isPaused() || (m_rate > 0 && m_rate <= kShowsPhasesAt); }
    // returns the total time for which the run was paused before nowUs, in microseconds
    std::int64_t pausedUs(std::int64_t nowUs) const;
    // Returns the number of epochs set by the last control command that changes it; empty if there was none.
    std::optional<std::int64_t> epochs() const { return m_epochs; }

  private:
    std::vector<Controlled> m_controls;
    std::optional<std::int64_t> m_pausedFromUs;
    std::int64_t m_pausedUs = 0;  // total length of all pauses that have ended, in microseconds
    double m_rate = 0;
    std::optional<std::int64_t> m_epochs;
};

}  // namespace ringside
