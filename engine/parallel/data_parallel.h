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
    DataParallel(const RunConfig& config, const StrategyParts& parts, std::unique_ptr<Optimizer> optimizer);

    std::string name() const override { return "ddp"; }
    void synchronise() override;
    SampleLosses accumulate(const Batch& batch) override;
    StepResult step(const Batch& batch, int control) override;
    void beginEvaluation() override;
    SampleLosses evaluate(const Batch& batch) override;
    double learningRate() const override { return m_optimizer->learningRate(); }
    void setLearningRate(double lr) override { m_optimizer->setLearningRate(lr); }
    Optimizer& optimizer() override { return *m_optimizer; }

  private:
    void broadcast(const Parameter& from0);
    SampleLosses forward(const Batch& batch);  // and the loss, whose gradient is ready
    double gradientNorm();                     // clips when that is wanted

    StrategyParts m_parts;
    GradientReducer m_reducer;
    std::unique_ptr<Optimizer> m_optimizer;
    Model::GradientReady m_gradientReady;
    std::int64_t m_accumulateSteps;
    double m_clipNorm;  // 0: off
    std::int64_t m_seed;
    std::int64_t m_microBatches = 0;  // of the step under way
};

}  // namespace ringside
