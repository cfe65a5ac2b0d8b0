// SPDX-License-Identifier: Apache-2.0
#include "run/supervise/rank_movement.h"

#include <algorithm>
#include <array>

namespace ringside {
namespace {

// How long data takes to come or a file to be written is not the rank's doing.
bool isWork(const std::string& phase) {
    constexpr std::array<std::string_view, 5> kWork{"forward", "backward", "all-reduce", "optimizer", "validation"};
    return std::ranges::find(kWork, phase) != kWork.end();
}

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

}  // namespace ringside
