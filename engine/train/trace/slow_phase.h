// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>

#include "config/pitfalls_config.h"
#include "telemetry/steps/phase.h"

namespace ringside {

// Delay of the rank pitfalls.slow_rank: the rank sleeps once per step at the end of a phase, as if the phase took
// longer. Has no effect on other ranks. `rest` is a function that sleeps for the delay or until a stop is pending,
// because a launcher may allow only a second for the last save after a stop.
class SlowPhase final : public PhaseListener {
  public:
    using Rest = std::function<void(std::chrono::microseconds)>;
    SlowPhase(const StepPitfalls& pitfalls, int rank, PhaseTrack& track, Rest rest);
    ~SlowPhase() override;
    SlowPhase(const SlowPhase&) = delete;
    SlowPhase& operator=(const SlowPhase&) = delete;

    void beginStep() { m_due = m_delay.count() > 0; }
    // Returns the delay of this rank in the phase: once per step the delay, otherwise 0.
    std::chrono::nanoseconds delayIn(Phase phase) const {
        return m_delay.count() > 0 && phase == m_phase ? m_delay : std::chrono::microseconds{0};
    }
    void onPhaseEnd(Phase phase, Phase next) override;

  private:
    PhaseTrack& m_track;
    Rest m_rest;
    Phase m_phase = Phase::kIdle;
    std::chrono::microseconds m_delay{0};  // delay of this rank; 0 if this rank is not the slow one
    bool m_due = false;
};

}  // namespace ringside
