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

void RankMovement::update(const Heartbeat& beat, TimePoint now) {
    if (samePlace(beat, m_last)) return;
    m_longestStallSeconds = std::max(m_longestStallSeconds, stalledSeconds(now));
    m_last = beat;
    m_progressAt = now;
}

double RankMovement::stalledSeconds(TimePoint now) const {
    return isWork(m_last.phase) ? std::chrono::duration<double>(now - m_progressAt).count() : 0;
}

double RankMovement::savingSeconds(TimePoint now) const {
    return isSaving() ? std::chrono::duration<double>(now - m_progressAt).count() : 0;
}

}  // namespace ringside
