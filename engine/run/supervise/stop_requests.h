// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>

#include "base/time/clock.h"

namespace ringside {

// Decision about the meaning of each stop request of a user.
//
// The first request begins the stop. The second request writes a log line with the number of steps that a further
// request would discard. A further request terminates the ranks without saving if it comes between kIgnoreTime and
// kConfirmTime after this log line. An earlier request is ignored, because the user cannot have read the line yet; a
// later request writes the line again.
class StopRequests {
  public:
    enum class Meaning { kBegin, kLogCost, kIgnore, kTerminate };
    static constexpr std::chrono::milliseconds kIgnoreTime{
        300};  // time after the log line in which a request is ignored,
               // because the user cannot have read the line yet
    // Time after the log line in which a further request terminates the ranks. A later request logs the line again.
    static constexpr std::chrono::seconds kConfirmTime{5};

    // Returns the meaning of a stop request by the user.
    Meaning request(TimePoint now);
    // Returns the meaning of a request that can arrive several times for one stop, as from a closing terminal or a
    // launcher: kBegin for the first request of any kind, otherwise kIgnore.
    Meaning requestOnce(TimePoint now);
    // True after the first call of request() or requestOnce().
    bool isRequested() const { return m_isRequested; }

  private:
    bool m_isRequested = false;
    std::optional<TimePoint> m_requestedAt;
};

}  // namespace ringside
