// SPDX-License-Identifier: Apache-2.0
#include "base/processors/cpu_yields.h"

#include <sched.h>

namespace ringside {

CpuYields::TimePoint CpuYields::yield(TimePoint now) {
    constexpr std::chrono::milliseconds kPause{100};
    m_system.yield();
    const TimePoint back = m_system.now();
    if (back - now > m_late) m_pausedUntil = back + kPause;
    return back;
}

void CpuYields::yieldProcessor() {
    ::sched_yield();
}

}  // namespace ringside
