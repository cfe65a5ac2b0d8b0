// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>

#include "base/time/clock.h"

namespace ringside {

// What a request to stop means, given those before it. Weights are thrown away only on a third one, by somebody who was
// told what that costs and has had the time to read it; a terminal that closes says so several times and means one
// stop.
class StopRequests {
  public:
    enum class Meaning { kBegin, kTell, kNothing, kCutShort };
    static constexpr std::chrono::milliseconds kReading{300};  // nobody has read what was said less long ago
    static constexpr std::chrono::seconds kMind{5};            // after which it is told again

    Meaning request(TimePoint now);
    Meaning hangUp(TimePoint now);
    bool asked() const { return m_asked; }

  private:
    bool m_asked = false;
    std::optional<TimePoint> m_toldAt;
};

}  // namespace ringside
