// SPDX-License-Identifier: Apache-2.0
#include "train/observe/traffic_report.h"

namespace ringside {
namespace {

constexpr int kMaxReported = 2;

}  // namespace

void TrafficReport::beginStep(StepPosition) {
    if (m_reported < kMaxReported) m_sentBefore = m_strategy.bytesSent();
}

void TrafficReport::endStep(const FinishedStep& step) {
    if (m_reported == kMaxReported || step.lastRows != m_fullBatch) return;
    ++m_reported;
    m_observer.onEvent(RankTraffic{m_rank, step.position.step, m_strategy.bytesSent() - m_sentBefore});
}

}  // namespace ringside
