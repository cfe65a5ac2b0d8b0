// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "parallel/strategy/strategy.h"
#include "train/interfaces/step_observer.h"
#include "train/interfaces/trainer_observer.h"

namespace ringside {

// Reports the number of bytes that this rank sent in each of the first two steps with a full batch. Some strategies
// send more bytes in the first of them, because they also compute norms. References must outlive this object.
class TrafficReport final : public StepObserver {
  public:
    // fullBatch: number of samples in a full batch; only the last batch of an epoch may have fewer.
    TrafficReport(int rank, std::int64_t fullBatch, const Strategy& strategy, TrainerObserver& observer)
        : m_rank(rank), m_fullBatch(fullBatch), m_strategy(strategy), m_observer(observer) {}
    void beginStep(StepPosition position) override;
    void endStep(const FinishedStep& step) override;

  private:
    const int m_rank;
    const std::int64_t m_fullBatch;
    const Strategy& m_strategy;
    TrainerObserver& m_observer;
    std::int64_t m_sentBefore = 0;  // number of bytes that this rank had sent when the step began
    int m_reported = 0;             // number of steps that have been reported
};

}  // namespace ringside
