// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "parallel/reduce/gradient_reducer.h"
#include "parallel/strategy/strategy.h"

namespace ringside {

// torch.nn.parallel.DistributedDataParallel: every rank holds the whole model, trains on its own batch and averages
// gradients with the others before it updates. One rank alone is the same without communication.
class DistributedDataParallel final : public Strategy {
  public:
    DistributedDataParallel(const RunConfig& config, const StrategyParts& parts, std::unique_ptr<Optimizer> optimizer);

    std::string name() const override { return "ddp"; }
    void synchronise() override;
    SampleLosses accumulate(const Batch& batch) override;
    StepResult step(const Batch& batch, StepRequest request) override;
    void beginEvaluation() override;
    SampleLosses evaluate(const Batch& batch) override;
    double learningRate() const override { return m_optimizer->learningRate(); }
    void setLearningRate(double lr) override { m_optimizer->setLearningRate(lr); }
    Optimizer& optimizer() override { return *m_optimizer; }
    std::int64_t bytesSent() const override { return m_parts.communicator.bytesSent(); }
    Communicator& readers() override { return m_parts.communicator; }
    const std::vector<Parameter*>& wholeParameters() const override { return m_parts.model.parameters(); }
    const std::vector<Parameter*>& wholeState() const override { return m_parts.model.state(); }

  private:
    void broadcast(const Parameter& from0);
    void begin();                                                      // of a training pass
    void pass(const Batch& batch, const Model::GradientReady& ready);  // forward, loss and backward
    void passed(Phase phase);
    void passAndUpdate(const Batch& batch);  // what a step enqueues, alike in every step
    // Recorded and launched as one where the device does that. part: of the step, which work differs by.
    template <class Work>
    void enqueue(const Batch& batch, int part, const Work& work);
    void unused(std::size_t parameter);  // by the pass under way
    void tellUnused();
    double reportedNorm(bool wanted);  // of the averaged gradient on rank 0, NaN elsewhere

    StrategyParts m_parts;
    GradientReducer m_reducer;
    std::unique_ptr<Optimizer> m_optimizer;
    Model::GradientReady m_gradientReady;
    bool m_findsUnused;
    std::int64_t m_unusedBytes = 0;  // of gradients that went round as zeros
    std::int64_t m_unusedSteps = 0;
    std::int64_t m_stepOfUnused = -1;
    float m_share;  // 1 / accumulate_steps
    std::int64_t m_seed;
    std::int64_t m_microBatches = 0;           // of the step under way
    std::unique_ptr<StepRecorder> m_recorder;  // null: steps run as they are
};

}  // namespace ringside
