// SPDX-License-Identifier: Apache-2.0
#include "run/ranks/rank_movement.h"

#include <algorithm>

namespace ringside {
namespace {

bool samePlace(const Heartbeat& a, const Heartbeat& b) {
    return a.step == b.step && a.epoch == b.epoch && a.batches == b.batches && a.collective == b.collective &&
           a.phase == b.phase;
}

}  // namespace

void RankMovement::take(const Heartbeat& beat, TimePoint now) {
    if (samePlace(beat, m_last)) return;
    m_longestSeconds = std::max(m_longestSeconds, stillSeconds(now));
    m_last = beat;
    m_movedAt = now;
}

double RankMovement::stillSeconds(TimePoint now) const {
    return isWork(m_last.phase) ? std::chrono::duration<double>(now - m_movedAt).count() : 0;
}

double RankMovement::savingSeconds(TimePoint now) const {
    return isSaving() ? std::chrono::duration<double>(now - m_movedAt).count() : 0;
}

}  // namespace ringside
