// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include "parallel/reduce/gradient_reducer.h"
#include "parallel/strategy/launched_steps.h"
#include "parallel/strategy/strategy.h"

namespace ringside {

// torch.nn.parallel.DistributedDataParallel: every rank holds the whole model, trains on its own batch, and averages
// its gradients with the other ranks before each update. A single rank does the same without communication.
class DistributedDataParallel final : public Strategy {
  public:
    DistributedDataParallel(const RunConfig& config, const StrategyDependencies& dependencies,
                            std::unique_ptr<Optimizer> optimizer);

    std::string name() const override { return "ddp"; }
    void synchronise() override;
    SampleLosses accumulate(const Batch& batch) override;
    StepResult step(const Batch& batch, StepRequest request) override;
    bool canRunAhead() const override { return m_launched.canRunAhead(); }
    void launch(const Batch& batch, StepRequest request) override;
    StepResult results(const EarlierLosses& earlier) override;
    void beginEvaluation() override;
    SampleLosses evaluate(const Batch& batch) override;
    double learningRate() const override { return m_optimizer->learningRate(); }
    void setLearningRate(double lr) override { m_optimizer->setLearningRate(lr); }
    Optimizer& optimizer() override { return *m_optimizer; }
    std::int64_t bytesSent() const override { return m_dependencies.communicator.bytesSent(); }
    Communicator& dataParallelGroup() override { return m_dependencies.communicator; }
    const std::vector<Parameter*>& wholeParameters() const override { return m_dependencies.model.parameters(); }
    const std::vector<Parameter*>& wholeState() const override { return m_dependencies.model.state(); }

  private:
    void keepLosses(const Batch& batch);  // enqueues a copy of the losses into the slot of the open step
    bool reportsNorm(StepRequest request) const;
    void broadcast(const Parameter& from0);
    void begin();                                                      // starts a training pass
    void pass(const Batch& batch, const Model::GradientReady& ready);  // runs forward pass, loss and backward pass
    void onPhaseEnd(Phase phase);
    void passAndUpdate(const Batch& batch);  // enqueues the work of a step, which is the same in every step
    // Runs work, or launches its recording if the device can record it. part: the kind of work within a step, which has
    // its own recording.
    template <class Work>
    void enqueue(const Batch& batch, int part, const Work& work);
    void unused(std::size_t parameter);  // a parameter that the current pass does not use
    void logUnusedLayers();
    double reportedNorm(bool wanted);  // norm of the averaged gradient on rank 0, NaN on other ranks

    StrategyDependencies m_dependencies;
    GradientReducer m_reducer;
    std::unique_ptr<Optimizer> m_optimizer;
    Model::GradientReady m_gradientReady;
    bool m_findsUnused;
    std::int64_t m_unusedBytes = 0;  // size of the unused gradients that were reduced as zeros
    std::int64_t m_unusedSteps = 0;
    std::int64_t m_stepOfUnused = -1;
    float m_share;  // 1 / accumulate_steps
    std::int64_t m_seed;
    std::int64_t m_microBatches = 0;  // number of micro-batches of the current step
    LaunchedSteps m_launched;
    std::unique_ptr<StepRecorder> m_recorder;  // null: steps are never recorded
};

}  // namespace ringside
