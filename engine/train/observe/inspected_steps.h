// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "train/control/run_control.h"
#include "train/interfaces/step_observer.h"
#include "train/replicas/replica_probe.h"

namespace ringside {

// Selects the steps that a ReplicaProbe inspects: steps that were requested, and steps that the user watches in slow
// motion or phase by phase. This observer must be called after the one that pauses at the end of a phase, because the
// user can request steps during the pause.
class InspectedSteps final : public StepObserver {
  public:
    InspectedSteps(ReplicaProbe& probe, const RunControl& control) : m_probe(probe), m_control(control) {}
    void phaseEnded(Phase phase, StepPosition position) override;

  private:
    ReplicaProbe& m_probe;
    const RunControl& m_control;
};

}  // namespace ringside
