// SPDX-License-Identifier: Apache-2.0
#include "run/supervise/stop_requests.h"

#include <utility>

namespace ringside {

StopRequests::Meaning StopRequests::request(TimePoint now) {
    if (!std::exchange(m_isRequested, true)) return Meaning::kBegin;
    if (m_requestedAt && now - *m_requestedAt < kIgnoreTime) return Meaning::kIgnore;
    if (m_requestedAt && now - *m_requestedAt <= kConfirmTime) return Meaning::kTerminate;
    m_requestedAt = now;
    return Meaning::kLogCost;
}

StopRequests::Meaning StopRequests::requestOnce(TimePoint) {
    return std::exchange(m_isRequested, true) ? Meaning::kIgnore : Meaning::kBegin;
}

}  // namespace ringside
