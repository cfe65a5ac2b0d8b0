// SPDX-License-Identifier: Apache-2.0
#include "train/observe/link_report.h"

#include "comm/hosts/contribution_watch.h"

namespace ringside {

void LinkReport::endStep(const FinishedStep& step) {
    if (ContributionWatch* watch = m_communicator.contributionWatch()) watch->endStep();
    if (const auto links = m_watch.takeSummary(step.readyUs, [this] { return m_communicator.links(); }))
        m_observer.onEvent(*links);
}

}  // namespace ringside
