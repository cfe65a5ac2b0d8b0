// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "train/batches/training_batches.h"
#include "train/checkpoint/checkpointer.h"
#include "train/control/run_control.h"
#include "train/interfaces/step_observer.h"

namespace ringside {

// Requests a checkpoint when training.checkpoint_seconds have passed. Used on rank 0 only; the other ranks receive the
// request as a control command. References must outlive this object.
class TimedSaves final : public StepObserver {
  public:
    TimedSaves(Checkpointer& checkpoints, const TrainingBatches& batches, RunControl& control)
        : m_checkpoints(checkpoints), m_batches(batches), m_control(control) {}
    void phaseEnded(Phase phase, StepPosition /*position*/) override {
        if (phase == Phase::kDataWait && m_checkpoints.isTimedSaveDue(m_batches.readyUs()))
            m_control.post({ControlKind::kCheckpoint, RunControl::kPostedByTraining});
    }

  private:
    Checkpointer& m_checkpoints;
    const TrainingBatches& m_batches;
    RunControl& m_control;
};

}  // namespace ringside
