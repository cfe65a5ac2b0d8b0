// SPDX-License-Identifier: Apache-2.0
#include "base/processors/work_slices.h"

namespace ringside {
namespace {

constexpr std::chrono::microseconds kSlice{50};

}  // namespace

void WorkSlices::begin() {
    m_sliceEnd = m_yields.now() + kSlice;
}

void WorkSlices::next() {
    const CpuYields::TimePoint now = m_yields.now();
    if (now < m_sliceEnd || !m_yields.isWorthwhile(now)) return;
    m_sliceEnd = m_yields.yield(now) + kSlice;
}

}  // namespace ringside
