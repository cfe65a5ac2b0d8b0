// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "config/pitfalls_config.h"
#include "train/interfaces/control_source.h"
#include "train/interfaces/step_observer.h"
#include "train/interfaces/trainer_observer.h"
#include "train/throttle/phase_throttle.h"
#include "train/trace/slow_phase.h"

namespace ringside {

// Delays the steps of a rank as set by parallel.pace and pitfalls.slow_rank, and reports if the CPU is too slow for
// parallel.pace. All references must outlive this object.
class Throttle final : public StepObserver {
  public:
    struct Dependencies {
        PhaseThrottle& phaseThrottle;
        const StepPitfalls& pitfalls;
        ControlSource& control;  // source of control commands; a stop ends the delay of pitfalls.slow_rank early
        TrainerObserver& observer;
        int rank = 0;
        std::int64_t parameters = 0;  // number of parameters that this rank updates
    };
    explicit Throttle(const Dependencies& dependencies);
    void beginStep(StepPosition position) override;
    void phaseEnded(Phase phase, StepPosition position) override;
    void endStep(const FinishedStep& step) override;

  private:
    Dependencies m_dependencies;
    SlowPhase m_slowPhase;
};

}  // namespace ringside
