// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "parallel/mesh/leaf_statistics.h"
#include "parallel/mesh/mesh_groups.h"
#include "parallel/mesh/pipeline_stage.h"
#include "parallel/reduce/leaf_batches.h"
#include "parallel/reduce/row_squares.h"
#include "parallel/strategy/strategy.h"
#include "schedule/schedule.h"

namespace ringside {

// Strategy for models that no rank holds as a whole: the parameters are sharded, the layers are divided into the stages
// of a pipeline, or both, in any number of replicas. With training.reduction canonical it also trains models that every
// rank holds as a whole.
//
// A step divides the batch into micro-batches (with a canonical reduction: into leaves) and executes the rank's actions
// in the order of the schedule. A forward action receives the input from the previous stage, computes, and sends the
// output to the next stage; a backward action does the same with gradients in the opposite direction. The gradients of
// the micro-batches are added in their order, as if one rank had accumulated them, and then averaged over the
// data-parallel ranks by the stage's ParameterStore. Finally each rank updates the parameters that it holds; if the
// update needs the gradient norm, all ranks first add their parts of it.
class MeshStrategy final : public Strategy {
  public:
    static Result<std::unique_ptr<Strategy>> make(const RunConfig& config, const StrategyParts& parts);

    std::string name() const override { return textOf(m_config.parallel.strategy); }
    void synchronise() override {}
    SampleLosses accumulate(const Batch& batch) override;
    StepResult step(const Batch& batch, StepRequest request) override;
    void beginEvaluation() override;
    SampleLosses evaluate(const Batch& batch) override;
    double learningRate() const override { return m_optimizer->learningRate(); }
    void setLearningRate(double lr) override { m_optimizer->setLearningRate(lr); }
    Optimizer& optimizer() override { return *m_optimizer; }

    PlannedShares plannedShares() const override { return m_planned; }
    std::int64_t bytesSent() const override { return m_groups.bytesSent(); }
    Communicator& readers() override { return m_groups.data(); }
    bool isWhole() const override { return false; }
    void readWhole(const TensorVisitor& visit, bool optimizerToo) override;
    void writeWhole(const TensorVisitor& fill) override;
    const std::vector<Parameter*>& wholeParameters() const override { return m_parts.model.wholeParameters(); }
    const std::vector<Parameter*>& wholeState() const override { return m_parts.model.wholeState(); }
    std::vector<const char*> keptByOptimizer() const override;
    const std::vector<Parameter*>& trainedHere() override { return m_trained; }
    void copyValue(std::size_t parameter, std::span<float> to) override;
    void copyGradient(std::size_t parameter, std::span<float> to) override;

  private:
    MeshStrategy(const RunConfig& config, const StrategyParts& parts);

    void run(const Batch& batch, bool isLast);
    void runLeaves(const Batch& batch);
    PassPlace placeOf(const PipelineAction& action) const;
    float shareOf(int microBatch) const;  // factor of a micro-batch's loss in the loss of the step
    void show(const PipelineAction& action) const;
    void carryOut(const PipelineAction& action, const Batch& batch);
    void forward(PipelineStage& stage, int microBatch, const Batch& batch);
    void backward(PipelineStage& stage, const PipelineAction& action, const Batch& batch);
    PlannedShares shares() const;
    // Returns the record of a message between this stage and the next or previous one, at this end of it.
    MessageStamp messageOf(const PipelineStage& stage, const PipelineStage::Slot& slot, const Tensor& tensor,
                           PipelineWork work, bool isSent) const;
    void sendOutput(PipelineStage& stage, PipelineStage::Slot& slot);
    void sendGradient(PipelineStage& stage, PipelineStage::Slot& slot);
    Tensor inputOf(PipelineStage& stage, PipelineStage::Slot& slot, const Batch& batch);
    Tensor gradientFor(PipelineStage& stage, PipelineStage::Slot& slot);
    void recordLosses(const PipelineStage::Slot& slot, const Batch& whole, int microBatch, bool compute);
    SampleLosses shareLosses(const Batch& batch);
    void update();
    double squaredNorm();
    double exactSquaredNorm();
    // true if the stage's gradients on this rank are part of the norm; false for copies that other ranks count
    bool counts(PipelineStage& stage) const;
    Batch trainingPart(const Batch& batch, int microBatch) const;
    Batch part(const Batch& batch, int microBatch) const;
    int partsOf(const Batch& batch) const;
    PipelineStage* stageNumbered(std::size_t number);
    void begin(PipelineStage::Slot& slot, int microBatch, bool training);
    void eachWhole(const TensorVisitor& visit, bool reading, bool optimizerToo);
    void exchange(const WholeTensor& tensor, std::vector<float>& memory, const TensorVisitor& visit, bool reading);
    std::vector<Parameter*> updatedHere();
    void watchGradients();
    std::pair<PipelineStage&, std::size_t> stageOf(std::size_t trained);
    void tellOffload();
    void tellStatistics();

    const RunConfig& m_config;
    StrategyParts m_parts;
    const StrategyPlan& m_plan;
    MeshGroups m_groups;
    double m_length = 1;                  // length of the schedule, in forward passes
    std::vector<PipelineStage> m_stages;  // stages of this rank
    std::map<std::size_t, std::size_t> m_stageAt;
    std::unique_ptr<Optimizer> m_optimizer;
    float m_share;
    int m_passes = 0;  // micro-batches of the step before the current batch
    bool m_lastBatch = true;
    int m_lastMicroBatch = 0;
    std::unique_ptr<LeafBatches> m_leaves;     // only with a canonical reduction
    std::vector<LeafStatistics> m_statistics;  // by stage; only with a canonical reduction
    std::vector<float> m_losses;               // losses of the batch, then hits
    RowSquares m_squares;                      // squared norms of the gradients of the whole model
    double m_norm = 0;
    PlannedShares m_planned;
    std::vector<Parameter*> m_trained;  // parameters of all stages of this rank, in whole shape
};

}  // namespace ringside
