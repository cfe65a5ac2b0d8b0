// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>

#include "config/pitfalls_config.h"
#include "telemetry/steps/phase.h"

namespace ringside {

// Delay of the rank that pitfalls.slow_rank selects: once per step, the rank sleeps at the end of a phase, as if the
// phase took longer. Has no effect on other ranks. rest: function that sleeps for the given time; a stop command ends
// the sleep early, because a launcher may leave only a second for the last save.
class SlowPhase final : public PhaseListener {
  public:
    using Rest = std::function<void(std::chrono::microseconds)>;
    SlowPhase(const StepPitfalls& pitfalls, int rank, PhaseTrack& track, Rest rest);
    ~SlowPhase() override;
    SlowPhase(const SlowPhase&) = delete;
    SlowPhase& operator=(const SlowPhase&) = delete;

    void beginStep() { m_due = m_delay.count() > 0; }
    // Returns the delay that this rank must add to the phase. It is not 0 once per step.
    std::chrono::nanoseconds delayIn(Phase phase) const {
        return m_delay.count() > 0 && phase == m_phase ? m_delay : std::chrono::microseconds{0};
    }
    void onPhaseEnd(Phase phase, Phase next) override;

  private:
    PhaseTrack& m_track;
    Rest m_rest;
    Phase m_phase = Phase::kIdle;
    std::chrono::microseconds m_delay{0};  // delay per step; 0 if pitfalls.slow_rank does not select this rank
    bool m_due = false;
};

}  // namespace ringside
