// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/time/clock.h"
#include "telemetry/events/events.h"

namespace ringside {

// Whether a rank that says it lives also gets on. A heartbeat comes from a thread of its own, so a rank caught in an
// endless loop goes on sending them; but step, phase, batch and collective stay as they were.
class RankMovement {
  public:
    void take(const Heartbeat& beat, TimePoint now);
    void restart(TimePoint now) { m_movedAt = now; }  // what was before now does not count

    // Seconds since anything moved; 0 where nothing has to: while connecting, reading data or saving.
    double stillSeconds(TimePoint now) const;
    // Seconds since anything moved of a rank that saves; what it wrote counts where somebody looks, and the count
    // starts anew then.
    double savingSeconds(TimePoint now) const;
    bool isSaving() const { return m_last.phase == Phase::kCheckpoint; }
    // The longest that it stood still and then moved again: a step of this model may take as long.
    double longestSeconds() const { return m_longestSeconds; }
    const Heartbeat& last() const { return m_last; }

  private:
    Heartbeat m_last;
    TimePoint m_movedAt{};
    double m_longestSeconds = 0;
};

}  // namespace ringside
