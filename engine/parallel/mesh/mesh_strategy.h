// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "backend/step_recorder.h"
#include "parallel/mesh/leaf_statistics.h"
#include "parallel/mesh/mesh_groups.h"
#include "parallel/mesh/mesh_results.h"
#include "parallel/mesh/mesh_stages.h"
#include "parallel/mesh/stage_messages.h"
#include "parallel/mesh/whole_tensors.h"
#include "parallel/reduce/leaf_batches.h"
#include "parallel/strategy/strategy.h"
#include "schedule/schedule.h"

namespace ringside {

// Strategy for models that no rank holds as a whole: the parameters are sharded, the layers are divided into the stages
// of a pipeline, or both, in any number of replicas, as torch.distributed.fsdp.fully_shard and
// torch.distributed.pipelining do. With training.reduction canonical it also trains models that every rank holds as a
// whole.
//
// A step divides the batch into micro-batches (with training.reduction canonical: into leaves, groups of samples whose
// gradients are added first) and executes the rank's actions in the order of the schedule. A forward action receives
// the input from the previous stage, computes, and sends the output to the next stage; a backward action does the same
// with gradients in the opposite direction. The gradients of the micro-batches are added in their order, as if one rank
// had accumulated them, and then averaged over the data-parallel ranks by the stage's ParameterStore. Finally each rank
// updates the parameters that it holds; if the update needs the gradient norm, all ranks first add their parts of it.
//
// Schedule 1f1b with four micro-batches, on two pipeline stages and two replicas (F2: forward pass of micro-batch 2;
// B2---: its backward pass, which takes twice as long). Ranks 1 and 3 do the same with the samples of the other
// replica:
//
//     rank 0, stage 0   F0 F1       B0--- F2 B1--- F3 B2---    B3---   averages with rank 1, updates stage 0
//     rank 2, stage 1      F0 B0--- F1 B1--- F2 B2--- F3 B3---         averages with rank 3, updates stage 1
//
// On devices that compute in parallel with the host, losses, norm and signal stay in the device's memory until the host
// reads them a step later, and the schedule and the update are recorded as one CUDA graph. Traced steps are not
// recorded, because the host cannot observe actions and messages inside a graph.
class MeshStrategy final : public Strategy {
  public:
    static Result<std::unique_ptr<Strategy>> make(const RunConfig& config, const StrategyDependencies& dependencies);

    std::string name() const override { return textOf(m_config.parallel.strategy); }
    void synchronise() override {}
    SampleLosses accumulate(const Batch& batch) override;
    StepResult step(const Batch& batch, StepRequest request) override;
    bool canRunAhead() const override { return m_results.canRunAhead(); }
    void launch(const Batch& batch, StepRequest request) override;
    StepResult results(const EarlierLosses& earlier) override;
    void beginEvaluation() override;
    SampleLosses evaluate(const Batch& batch) override;
    double learningRate() const override { return m_optimizer->learningRate(); }
    void setLearningRate(double lr) override { m_optimizer->setLearningRate(lr); }
    Optimizer& optimizer() override { return *m_optimizer; }

    PlannedShares plannedShares() const override { return m_planned; }
    std::int64_t bytesSent() const override { return m_groups.bytesSent(); }
    Communicator& dataParallelGroup() override { return m_groups.dataParallelGroup(); }
    WholeTensorAccess* wholeTensors() override { return m_wholeTensors.get(); }
    const std::vector<Parameter*>& wholeParameters() const override { return m_dependencies.model.wholeParameters(); }
    const std::vector<Parameter*>& wholeState() const override { return m_dependencies.model.wholeState(); }
    const std::vector<Parameter*>& localParameters() override { return m_stages.trainedParameters(); }
    void copyValue(std::size_t parameter, std::span<float> to) override { m_stages.copyValue(parameter, to); }
    void copyGradient(std::size_t parameter, std::span<float> to) override { m_stages.copyGradient(parameter, to); }

  private:
    MeshStrategy(const RunConfig& config, const StrategyDependencies& dependencies);

    void runSchedule(const Batch& batch, bool isLast);
    void runLeaves(const Batch& batch);
    PassPosition positionOf(const PipelineAction& action) const;
    // Returns the factor by which the mean loss of a micro-batch is multiplied in the loss of the step.
    float lossShareOf(int microBatch) const;
    void reportAction(const PipelineAction& action) const;
    void runAction(const PipelineAction& action, const Batch& batch);
    void forward(PipelineStage& stage, int microBatch, const Batch& batch);
    void backward(PipelineStage& stage, const PipelineAction& action, const Batch& batch);
    Tensor trainLastBatch(const Batch& batch);
    Tensor trainAndUpdate(const Batch& batch, bool measuresNorm);
    Tensor trainRecorded(const Batch& batch, bool measuresNorm);
    Tensor updateParameters(bool measuresNorm);
    Batch trainingPart(const Batch& batch, int microBatch) const;
    Batch microBatchOf(const Batch& batch, int microBatch) const;
    int partCount(const Batch& batch) const;
    void beginSlot(PipelineStage::Slot& slot, int microBatch, bool training);
    void addStages();
    std::unique_ptr<ParameterStore> makeStore(PipelineStage& stage);

    const RunConfig& m_config;
    StrategyDependencies m_dependencies;
    const StrategyPlan& m_plan;
    MeshGroups m_groups;
    double m_length = 1;  // duration of the pipeline schedule as a multiple of the duration of one forward pass
    MeshStages m_stages;  // stages of this rank
    StageMessages m_messages;
    std::unique_ptr<Optimizer> m_optimizer;
    std::unique_ptr<WholeTensors> m_wholeTensors;
    float m_share;
    int m_passes = 0;  // number of micro-batches of the current step that accumulate() has processed
    bool m_lastBatch = true;
    // True during trainRecorded(), which has called beginSlot() for all micro-batches before the work that can be
    // recorded.
    bool m_hasBegun = false;
    int m_lastMicroBatch = 0;
    // training.reduction canonical: leaves (groups of samples whose gradients are added in a tree); null otherwise
    std::unique_ptr<LeafBatches> m_leaves;
    // only for training.reduction canonical: batch norm's statistics of each pipeline stage; empty otherwise
    std::vector<LeafStatistics> m_statistics;
    MeshResults m_results;
    PlannedShares m_planned;
    // result of MeshNorm::squared() in a recorded step; valid for all later launches of the CUDA graph
    Tensor m_recordedSquares;
    std::unique_ptr<StepRecorder> m_recorder;  // records steps as CUDA graphs; null if steps are never recorded
};

}  // namespace ringside
