// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "parallel/mesh/pipeline_stage.h"
#include "parallel/strategy/strategy.h"

namespace ringside {

// The pipeline stages of this rank, in ascending order, and the parameters that they train.
class MeshStages {
  public:
    // Adds a stage. Call in ascending order of the stages' numbers.
    PipelineStage& add(const StageDependencies& stage);
    // Lists the parameters of all stages and passes their local gradients to `ownGradient`, if that function is set.
    // Call after each stage has its ParameterStore.
    void watchGradients(const std::function<void(std::size_t, const Tensor&)>& ownGradient);

    std::vector<PipelineStage>& allStages() { return m_stages; }
    // Completes the messages and gathers in progress and discards gathered parameters. A recorded step starts and ends
    // in this state: handles of recorded operations are valid only within the recording, and the graph contains all
    // gathers that its passes need.
    void finishTransfers();
    // Frees the slots (memory of one micro-batch in flight) of all stages after an exception has interrupted the
    // recording of a step.
    void abandonStep();
    // Returns the stage with this number in the pipeline; null if another rank holds that stage.
    PipelineStage* findStage(std::size_t number);
    // Returns the index of a stage of this rank in allStages().
    std::size_t indexOf(std::size_t number) const { return m_indexOf.at(number); }
    bool containsStage(std::size_t number) const { return m_indexOf.contains(number); }

    // Returns the parameters of all stages of this rank, in whole shape, in the order of Strategy::localParameters().
    const std::vector<Parameter*>& trainedParameters() const { return m_trained; }
    // Parameters and parts of parameters that the optimizer updates on this rank.
    std::vector<Parameter*> updatedParameters();
    // Copy a parameter's whole value or averaged gradient to host memory. Collective over the ranks that train the same
    // stages.
    void copyValue(std::size_t trained, std::span<float> to);
    void copyGradient(std::size_t trained, std::span<float> to);

  private:
    std::pair<PipelineStage&, std::size_t> stageOf(std::size_t trained);

    std::vector<PipelineStage> m_stages;
    std::map<std::size_t, std::size_t> m_indexOf;
    std::vector<Parameter*> m_trained;
};

}  // namespace ringside
