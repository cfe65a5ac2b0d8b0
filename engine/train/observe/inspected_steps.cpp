// SPDX-License-Identifier: Apache-2.0
#include "train/observe/inspected_steps.h"

namespace ringside {

void InspectedSteps::phaseEnded(Phase phase, StepPosition position) {
    if (phase == Phase::kDataWait) m_probe.selectStep(position);
    const bool beforePass = phase == Phase::kDataWait || phase == Phase::kForward;
    if (beforePass && m_control.reportsDetails(position.step)) m_probe.inspectCurrentStep(!m_control.isPauseDue());
}

}  // namespace ringside
