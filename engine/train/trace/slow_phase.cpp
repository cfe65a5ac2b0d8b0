// SPDX-License-Identifier: Apache-2.0
#include "train/trace/slow_phase.h"

#include <utility>

namespace ringside {

SlowPhase::SlowPhase(const StepPitfalls& pitfalls, int rank, PhaseTrack& track, Rest rest)
    : m_track(track), m_rest(std::move(rest)) {
    if (pitfalls.slowRank != rank || pitfalls.slowMs <= 0) return;
    m_phase = phaseNamed(nameOf(pitfalls.slowPhase)).value_or(Phase::kBackward);
    m_delay = std::chrono::microseconds(static_cast<std::int64_t>(1000 * pitfalls.slowMs));
    m_track.addListener(*this);
}

SlowPhase::~SlowPhase() {
    if (m_delay.count() > 0) m_track.removeListener(*this);
}

void SlowPhase::onPhaseEnd(Phase phase, Phase) {
    if (phase == m_phase && std::exchange(m_due, false)) m_rest(m_delay);
}

}  // namespace ringside
