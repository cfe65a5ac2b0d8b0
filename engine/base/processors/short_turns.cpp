// SPDX-License-Identifier: Apache-2.0
#include "base/processors/short_turns.h"

namespace ringside {
namespace {

constexpr std::chrono::microseconds kTurn{50};

}  // namespace

void ShortTurns::begin() {
    m_turnEnd = m_offers.now() + kTurn;
}

void ShortTurns::next() {
    const CpuOffers::TimePoint now = m_offers.now();
    if (now < m_turnEnd || !m_offers.worthwhile(now)) return;
    m_turnEnd = m_offers.make(now) + kTurn;
}

}  // namespace ringside
