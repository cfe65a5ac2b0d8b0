// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>

#include "base/time/clock.h"

namespace ringside {

// Deadline that counts only the time in which this process could run. After the computer was suspended for longer than
// a timeout, the first process that runs must not report its peers as silent. Each interval between two calls of
// hasPassed() therefore counts as at most kSlice + kLate. Wait until nextCheck(), then call hasPassed().
class AwakeDeadline {
  public:
    using Milliseconds = std::chrono::milliseconds;
    static constexpr Milliseconds kSlice{250};
    static constexpr Milliseconds kLate{1000};  // maximum delay with which a busy host wakes a thread

    explicit AwakeDeadline(Milliseconds timeout, TimePoint now = std::chrono::steady_clock::now())
        : m_left(timeout), m_checkedAt(now) {}

    TimePoint nextCheck() const {
        return m_checkedAt + std::min<TimePoint::duration>(std::max(m_left, TimePoint::duration::zero()), kSlice);
    }
    bool hasPassed(TimePoint now = std::chrono::steady_clock::now()) {
        m_left -= std::min<TimePoint::duration>(now - m_checkedAt, kSlice + kLate);
        m_checkedAt = now;
        return m_left <= TimePoint::duration::zero();
    }

  private:
    TimePoint::duration m_left;
    TimePoint m_checkedAt;
};

}  // namespace ringside
