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
    void keepLosses(const Batch& batch);  // enqueues a copy of the losses of `batch` into the page-locked memory of the
                                          // step that is being launched
    bool reportsNorm(StepRequest request) const;
    void broadcastFromRank0(const Parameter& from0);
    // Begins a training pass of the model with the key for dropout's random masks in this pass.
    void beginPass();
    void runPasses(const Batch& batch, const Model::GradientReady& ready);  // runs forward pass, loss and backward
                                                                            // pass; `ready` is called for each complete
                                                                            // gradient
    void onPhaseEnd(Phase phase);
    // Enqueues passes, gradient reduction and update; the enqueued operations are equal in each step.
    void passAndUpdate(const Batch& batch);
    // Calls `work`, which enqueues operations on the device; if the device can record steps, records them as a CUDA
    // graph and launches this graph in later steps. part: kind of the work; each kind has its own graph.
    template <class Work>
    void enqueue(const Batch& batch, int part, const Work& work);
    // Called for a parameter that the current pass does not use. Counts its gradient as zeros if find_unused_parameters
    // is set; otherwise the step fails.
    void handleUnused(std::size_t parameter);
    void logUnusedLayers();
    double reportedNorm(bool wanted);  // returns the norm of the averaged gradient on rank 0, NaN on other ranks

    StrategyDependencies m_dependencies;
    GradientReducer m_reducer;
    std::unique_ptr<Optimizer> m_optimizer;
    Model::GradientReady m_gradientReady;
    bool m_findsUnused;
    std::int64_t m_unusedBytes = 0;  // size of all gradients of unused parameters that were averaged as zeros, in bytes
    std::int64_t m_unusedSteps = 0;
    std::int64_t m_stepOfUnused = -1;
    float m_share;  // factor by which a micro-batch's gradient is multiplied: 1 / accumulate_steps
    std::int64_t m_seed;
    std::int64_t m_microBatches = 0;  // number of micro-batches of the current step whose gradients have been kept
    LaunchedSteps m_launched;
    std::unique_ptr<StepRecorder> m_recorder;  // recorder of steps as CUDA graphs; null if steps are never recorded
};

}  // namespace ringside
