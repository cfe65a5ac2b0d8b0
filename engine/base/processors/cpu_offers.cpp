// SPDX-License-Identifier: Apache-2.0
#include "base/processors/cpu_offers.h"

#include <sched.h>

namespace ringside {

CpuOffers::TimePoint CpuOffers::make(TimePoint now) {
    constexpr std::chrono::milliseconds kPause{100};
    m_system.yield();
    const TimePoint back = m_system.now();
    if (back - now > m_late) m_pausedUntil = back + kPause;
    return back;
}

void CpuOffers::yieldProcessor() {
    ::sched_yield();
}

}  // namespace ringside
