// SPDX-License-Identifier: Apache-2.0
#include "base/processors/work_slices.h"

namespace ringside {
namespace {

constexpr std::chrono::microseconds kTurn{50};

}  // namespace

void WorkSlices::begin() {
    m_turnEnd = m_yields.now() + kTurn;
}

void WorkSlices::next() {
    const CpuYields::TimePoint now = m_yields.now();
    if (now < m_turnEnd || !m_yields.isWorthwhile(now)) return;
    m_turnEnd = m_yields.make(now) + kTurn;
}

}  // namespace ringside
