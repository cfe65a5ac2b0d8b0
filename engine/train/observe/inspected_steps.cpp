// SPDX-License-Identifier: Apache-2.0
#include "train/observe/inspected_steps.h"

namespace ringside {

void InspectedSteps::phaseEnded(Phase phase, StepPlace place) {
    if (phase == Phase::kDataWait) m_probe.selectStep(place);
    const bool beforePass = phase == Phase::kDataWait || phase == Phase::kForward;
    if (beforePass && m_control.reportsDetails(place.step)) m_probe.inspectCurrentStep(!m_control.isPauseDue());
}

}  // namespace ringside
