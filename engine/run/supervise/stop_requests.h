// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>

#include "base/time/clock.h"

namespace ringside {

// Decides what a stop request means, which depends on the earlier requests.
//
// The first request begins the stop. The second logs what a third would cost. A third request terminates the ranks
// without saving if it comes within kMind after the second; if it comes within kReading, it is ignored, because the
// user cannot have read the log line yet.
class StopRequests {
  public:
    enum class Meaning { kBegin, kTell, kNothing, kCutShort };
    static constexpr std::chrono::milliseconds kReading{300};  // time after the report in which requests are ignored,
                                                               // because the user cannot have read it yet
    // Time after the log line from which a further request logs the line again instead of terminating the ranks.
    static constexpr std::chrono::seconds kMind{5};

    // Returns the meaning of a stop request by the user.
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
