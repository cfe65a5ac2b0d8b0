// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>

#include "base/time/clock.h"

namespace ringside {

// A deadline of a wait in which only the time counts in which this process could have run. When everything was
// suspended for longer than a timeout, whoever wakes first must not accuse the others of having been silent.
// Wait until nextLook(), then ask hasPassed().
class AwakeDeadline {
  public:
    using Milliseconds = std::chrono::milliseconds;
    static constexpr Milliseconds kSlice{250};
    static constexpr Milliseconds kLate{1000};  // a busy machine may wake a thread this late

    explicit AwakeDeadline(Milliseconds timeout, TimePoint now = std::chrono::steady_clock::now())
        : m_left(timeout), m_lookedAt(now) {}

    TimePoint nextLook() const {
        return m_lookedAt + std::min<TimePoint::duration>(std::max(m_left, TimePoint::duration::zero()), kSlice);
    }
    bool hasPassed(TimePoint now = std::chrono::steady_clock::now()) {
        m_left -= std::min<TimePoint::duration>(now - m_lookedAt, kSlice + kLate);
        m_lookedAt = now;
        return m_left <= TimePoint::duration::zero();
    }

  private:
    TimePoint::duration m_left;
    TimePoint m_lookedAt;
};

}  // namespace ringside
