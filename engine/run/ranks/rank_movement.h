// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/time/clock.h"
#include "telemetry/events/events.h"

namespace ringside {

// Progress of a rank, by its heartbeats. A rank in an endless loop still sends heartbeats, from a separate thread, but
// their step, epoch, phase, batch and collective no longer change.
class RankMovement {
  public:
    // Adds a heartbeat of the rank.
    void take(const Heartbeat& beat, TimePoint now);
    // Measures the time without progress from now on.
    void restart(TimePoint now) { m_movedAt = now; }

    // Returns the seconds since the last progress; 0 in phases without a limit: connecting, reading data and saving.
    double stillSeconds(TimePoint now) const;
    // Returns the seconds since the last progress of a rank that saves, else 0. Written data counts as progress if the
    // caller detects it and calls restart().
    double savingSeconds(TimePoint now) const;
    bool isSaving() const { return m_last.phase == Phase::kCheckpoint; }
    // Returns the longest earlier stillSeconds(): a step of this model can take as long again.
    double longestSeconds() const { return m_longestSeconds; }
    const Heartbeat& last() const { return m_last; }

  private:
    Heartbeat m_last;
    TimePoint m_movedAt{};
    double m_longestSeconds = 0;
};

}  // namespace ringside
