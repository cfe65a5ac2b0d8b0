// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "train/control/run_control.h"
#include "train/interfaces/step_observer.h"
#include "train/interfaces/trainer_observer.h"
#include "train/trace/step_tracer.h"

namespace ringside {

// Traces steps and reports the traces. Must be the first observer, so that a trace includes the work of the other
// observers and the collective in which ranks exchange commands. On rank 0, also proposes how often steps are traced.
class TraceReport final : public StepObserver {
  public:
    TraceReport(StepTracer& tracer, RunControl& control, TrainerObserver& observer, bool isRankZero)
        : m_tracer(tracer), m_control(control), m_observer(observer), m_isRankZero(isRankZero) {}
    void beginStep(StepPosition position) override;
    void endStep(const FinishedStep& step) override;

  private:
    StepTracer& m_tracer;
    RunControl& m_control;
    TrainerObserver& m_observer;
    const bool m_isRankZero;
};

}  // namespace ringside
