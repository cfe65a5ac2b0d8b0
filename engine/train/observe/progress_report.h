// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "telemetry/events/sink.h"
#include "train/interfaces/step_observer.h"

namespace ringside {

// Stores the number of finished steps in `progress`, from which heartbeats read it. `progress` must outlive this
// object.
class ProgressReport final : public StepObserver {
  public:
    explicit ProgressReport(Progress& progress) : m_progress(progress) {}
    void endStep(const FinishedStep& step) override {
        m_progress.step.store(step.position.step, std::memory_order_relaxed);
    }

  private:
    Progress& m_progress;
};

}  // namespace ringside
