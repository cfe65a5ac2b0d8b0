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
    static constexpr double kShowsPhasesAt = 5;  // highest rate at which ranks report phases, in steps per second

    void add(const Controlled& event);

    // Returns the control commands in order, at most 10,000.
    const std::vector<Controlled>& controls() const { return m_controls; }
    bool isPaused() const { return m_pausedFromUs.has_value(); }
    // Returns the phase after which the run is paused; call only while isPaused().
    std::optional<Phase> pausedAfter() const { return m_controls.back().after; }
    // Returns the maximum rate that slow motion sets, in steps per second; 0: full speed.
    double rate() const { return m_rate; }
    // True while ranks report each phase that they enter: if the run is paused, or if slow motion limits the rate to at
    // most kShowsPhasesAt.
    bool showsPhases() const { return isPaused() || (m_rate > 0 && m_rate <= kShowsPhasesAt); }
    std::int64_t pausedUs(std::int64_t nowUs) const;  // returns the total time paused until nowUs
    // Returns the number of epochs set by a command; empty if none was set.
    std::optional<std::int64_t> epochs() const { return m_epochs; }

  private:
    std::vector<Controlled> m_controls;
    std::optional<std::int64_t> m_pausedFromUs;
    std::int64_t m_pausedUs = 0;  // total of the completed pauses
    double m_rate = 0;
    std::optional<std::int64_t> m_epochs;
};

}  // namespace ringside
