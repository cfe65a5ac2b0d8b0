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
    // enqueues a copy of the losses of `batch` to page-locked memory; used for launched steps
    void keepLosses(const Batch& batch);
    bool reportsNorm(StepRequest request) const;
    void broadcastFromRank0(const Parameter& from0);
    // Begins a training pass of the model and gives it the key from which dropout's random masks are computed.
    void beginPass();
    void runPasses(const Batch& batch, const Model::GradientReady& ready);  // runs forward pass, loss and backward
                                                                            // pass; `ready` is called for each complete
                                                                            // gradient
    void onPhaseEnd(Phase phase);
    // Enqueues forward and backward pass, the reduction of the gradients, and the update. The enqueued operations are
    // the same in each step.
    void enqueueStepWork(const Batch& batch);
    // Calls `work`, which enqueues operations on the device. If the device can record steps, the operations are
    // recorded as a CUDA graph, which later steps launch instead. part: kind of the work; each kind has its own graph.
    template <class Work>
    void enqueue(const Batch& batch, int part, const Work& work);
    // Called for a parameter that the current pass does not use. If find_unused_parameters is set, treats its gradient
    // as zeros. Otherwise the step fails.
    void handleUnused(std::size_t parameter);
    void logUnusedLayers();
    double reportedNorm(bool wanted);  // returns the norm of the averaged gradient on rank 0, NaN on other ranks

    StrategyDependencies m_dependencies;
    GradientReducer m_reducer;
    std::unique_ptr<Optimizer> m_optimizer;
    Model::GradientReady m_gradientReady;
    bool m_findsUnused;
    // total size of the zero gradients that were averaged for unused parameters, in bytes
    std::int64_t m_unusedBytes = 0;
    std::int64_t m_unusedSteps = 0;
    std::int64_t m_stepOfUnused = -1;
    float m_share;  // factor by which the gradient of each micro-batch is multiplied: 1 / accumulate_steps
    std::int64_t m_seed;
    std::int64_t m_microBatches = 0;  // number of micro-batches of the current step that accumulate() has processed
    LaunchedSteps m_launched;
    std::unique_ptr<StepRecorder> m_recorder;  // records steps as CUDA graphs; null if steps are never recorded
};

}  // namespace ringside
