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
    void update(const Heartbeat& beat, TimePoint now);
    // Sets the time of the last progress to `now`, so that the earlier time without progress no longer counts.
    void restart(TimePoint now) { m_progressAt = now; }

    // Returns the seconds since the rank's last progress; 0 in phases without a limit, such as connecting, reading data
    // and saving.
    double stalledSeconds(TimePoint now) const;
    // Returns the seconds since the last progress of a rank that saves, else 0. The caller may check for written data
    // and call restart(), so that it counts as progress.
    double savingSeconds(TimePoint now) const;
    bool isSaving() const { return m_last.phase == Phase::kCheckpoint; }
    // Returns the largest value that stalledSeconds() has had during this run, in seconds. A later step may need as
    // long.
    double longestStallSeconds() const { return m_longestStallSeconds; }
    const Heartbeat& last() const { return m_last; }

  private:
    Heartbeat m_last;
    TimePoint m_progressAt{};
    double m_longestStallSeconds = 0;
};

}  // namespace ringside
