// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "parallel/gradient_reducer.h"
#include "parallel/strategy.h"

namespace ringside {

// torch.nn.parallel.DistributedDataParallel: every rank holds the whole model, trains on its own batch and averages
// gradients with the others before it updates. One rank alone is the same without communication.
class DataParallel final : public Strategy {
  public:
    DataParallel(const StrategyParts& parts, BucketLimits limits, std::unique_ptr<Optimizer> optimizer);

    std::string name() const override { return "ddp"; }
    void synchronise() override;
    StepResult step(const Batch& batch, int control) override;
    SampleLosses evaluate(const Batch& batch) override;
    double learningRate() const override { return m_optimizer->learningRate(); }

  private:
    StrategyParts m_parts;
    GradientReducer m_reducer;
    std::unique_ptr<Optimizer> m_optimizer;
    Model::GradientReady m_gradientReady;
};

}  // namespace ringside
