// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>

#include "base/time/clock.h"

namespace ringside {

// Meaning of each stop request, which depends on the requests before it.
//
// The first request begins the stop, the second reports what a third would cost, and a third within kMind terminates
// the ranks without saving. A third one within kReading is ignored: the user cannot have read the report yet.
class StopRequests {
  public:
    enum class Meaning { kBegin, kTell, kNothing, kCutShort };
    static constexpr std::chrono::milliseconds kReading{300};  // time after the report in which requests are ignored,
                                                               // because the user cannot have read it yet
    static constexpr std::chrono::seconds kMind{5};            // time after the report from which a further request
                                                               // repeats it

    // Returns the meaning of a request by the user.
    Meaning request(TimePoint now);
    // Returns the meaning of a request that can arrive several times for one stop, as from a closing terminal or a
    // launcher: kBegin, or kNothing after any earlier request.
    Meaning hangUp(TimePoint now);
    // True after the first request of either kind.
    bool isRequested() const { return m_isRequested; }

  private:
    bool m_isRequested = false;
    std::optional<TimePoint> m_requestedAt;
};

}  // namespace ringside
