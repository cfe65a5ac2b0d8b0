// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>

#include "config/pitfalls_config.h"
#include "telemetry/steps/phase.h"

namespace ringside {

// The rank that pitfalls.slow_rank makes late: it sleeps at the end of a phase, once a step, as if the phase took
// longer. All others are left alone.
// rest: sleeps for the delay, or until the run is asked to stop: a launcher may leave a second for the last save.
class SlowPhase final : public PhaseListener {
  public:
    using Rest = std::function<void(std::chrono::microseconds)>;
    SlowPhase(const StepPitfalls& pitfalls, int rank, PhaseTrack& track, Rest rest);
    ~SlowPhase() override;
    SlowPhase(const SlowPhase&) = delete;
    SlowPhase& operator=(const SlowPhase&) = delete;

    void beginStep() { m_due = m_delay.count() > 0; }
    // Of this rank, once a step; 0: none.
    std::chrono::nanoseconds delayIn(Phase phase) const {
        return m_delay.count() > 0 && phase == m_phase ? m_delay : std::chrono::microseconds{0};
    }
    void leaving(Phase phase, Phase next) override;

  private:
    PhaseTrack& m_track;
    Rest m_rest;
    Phase m_phase = Phase::kIdle;
    std::chrono::microseconds m_delay{0};  // 0: not this rank
    bool m_due = false;
};

}  // namespace ringside
