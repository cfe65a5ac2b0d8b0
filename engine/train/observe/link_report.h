// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "comm/communicator.h"
#include "train/interfaces/step_observer.h"
#include "train/interfaces/trainer_observer.h"
#include "train/observe/link_watch.h"

namespace ringside {

// At the end of a step, reports the traffic on the connections to other hosts if LinkWatch returns a summary. Also
// notifies the communicator's ContributionWatch of the end of the step. References must outlive this object.
class LinkReport final : public StepObserver {
  public:
    LinkReport(Communicator& communicator, TrainerObserver& observer)
        : m_communicator(communicator), m_observer(observer), m_watch(communicator.rank()) {}
    void endStep(const FinishedStep& step) override;

  private:
    Communicator& m_communicator;
    TrainerObserver& m_observer;
    LinkWatch m_watch;
};

}  // namespace ringside
