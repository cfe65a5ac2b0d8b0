// SPDX-License-Identifier: Apache-2.0
#include "run/supervise/stop_requests.h"

#include <utility>

namespace ringside {

StopRequests::Meaning StopRequests::request(TimePoint now) {
    if (!std::exchange(m_asked, true)) return Meaning::kBegin;
    if (m_toldAt && now - *m_toldAt < kReading) return Meaning::kNothing;
    if (m_toldAt && now - *m_toldAt <= kMind) return Meaning::kCutShort;
    m_toldAt = now;
    return Meaning::kTell;
}

StopRequests::Meaning StopRequests::hangUp(TimePoint) {
    return std::exchange(m_asked, true) ? Meaning::kNothing : Meaning::kBegin;
}

}  // namespace ringside
