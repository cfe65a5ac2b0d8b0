// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/time/clock.h"
#include "telemetry/events/events.h"

namespace ringside {

// Progress of a rank, by its heartbeats. A rank in an endless loop still sends heartbeats, from a separate thread, but
// their step, epoch, phase, batch and collective no longer change.
class RankMovement {
  public:
    // Adds a heartbeat of the rank and compares it with the previous one.
    void take(const Heartbeat& beat, TimePoint now);
    // Counts the time without progress from this time on.
    void restart(TimePoint now) { m_movedAt = now; }

    // Returns the seconds since the rank's last progress; 0 in phases without a limit: connecting, reading data and
    // saving.
    double stillSeconds(TimePoint now) const;
    // Returns the seconds since the last progress of a rank that saves, else 0. The caller may check for written data
    // and call restart(), so that it counts as progress.
    double savingSeconds(TimePoint now) const;
    bool isSaving() const { return m_last.phase == Phase::kCheckpoint; }
    // Returns the largest value that stillSeconds() had earlier: a step of this model can take as long again.
    double longestSeconds() const { return m_longestSeconds; }
    const Heartbeat& last() const { return m_last; }

  private:
    Heartbeat m_last;
    TimePoint m_movedAt{};
    double m_longestSeconds = 0;
};

}  // namespace ringside
