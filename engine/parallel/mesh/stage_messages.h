// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "parallel/mesh/mesh_groups.h"
#include "parallel/mesh/mesh_stages.h"
#include "parallel/strategy/strategy.h"

namespace ringside {

// Messages between the stages of a pipeline: outputs go to the next stage, gradients to the previous stage. If one rank
// holds both stages, the message is passed in memory.
class StageMessages {
  public:
    // All arguments must outlive this object.
    StageMessages(const StrategyDependencies& dependencies, MeshGroups& groups, MeshStages& stages)
        : m_dependencies(dependencies), m_groups(groups), m_stages(stages) {}

    // Sets the number of micro-batches in earlier batches of the step. It makes the numbers of messages unique within
    // the step.
    void setEarlierMicroBatches(int count) { m_earlier = count; }

    // Returns the input of a stage. The input of the first stage is the batch itself; for other stages, blocks until
    // the previous stage's output has arrived.
    Tensor inputOf(PipelineStage& stage, PipelineStage::Slot& slot, const Batch& batch);
    void sendOutput(PipelineStage& stage, PipelineStage::Slot& slot);
    // Returns the gradient with respect to the output of a stage other than the last. Blocks until the gradient has
    // arrived from the next stage.
    Tensor gradientFor(PipelineStage& stage, PipelineStage::Slot& slot);
    void sendGradient(PipelineStage& stage, PipelineStage::Slot& slot);

  private:
    // Returns the trace entry of a message between `stage` and the stage before or after it.
    MessageStamp stampOf(const PipelineStage& stage, const PipelineStage::Slot& slot, const Tensor& tensor,
                         PipelineWork work, bool isSent) const;

    const StrategyDependencies& m_dependencies;
    MeshGroups& m_groups;
    MeshStages& m_stages;
    int m_earlier = 0;
};

}  // namespace ringside
