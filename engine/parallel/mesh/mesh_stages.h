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

// Pipeline stages of this rank in ascending order, and the parameters that these stages train.
class MeshStages {
  public:
    // Adds a stage. Stages must be added in ascending order of their numbers.
    PipelineStage& add(const StageDependencies& stage);
    // Lists the parameters of all stages and, unless `onLocalGradient` is empty, calls it with each local gradient and
    // the parameter's index in trainedParameters(). Must be called after each stage has its ParameterStore.
    void watchGradients(const std::function<void(std::size_t, const Tensor&)>& onLocalGradient);

    std::vector<PipelineStage>& allStages() { return m_stages; }
    // Waits for the messages and gathers in progress, and discards gathered parameters. Called at the start and the end
    // of a recorded step, because handles of recorded operations are valid only within the recording, and a graph must
    // contain all gathers that its passes need.
    void finishTransfers();
    // Frees the slots (memory of one micro-batch in flight) of all stages after an exception has interrupted the
    // recording of a step.
    void abandonStep();
    // Returns the stage with this number in the pipeline; null if another rank holds that stage.
    PipelineStage* findStage(std::size_t number);
    // Returns the position in allStages() of the stage with this number, which must be on this rank.
    std::size_t indexOf(std::size_t number) const { return m_indexOf.at(number); }
    bool containsStage(std::size_t number) const { return m_indexOf.contains(number); }

    // Returns the parameters of all stages of this rank with their whole shapes, even if they are sharded, in the order
    // of Strategy::localParameters().
    const std::vector<Parameter*>& trainedParameters() const { return m_trained; }
    // Returns the parameters that the optimizer updates on this rank: whole ones, or this rank's parts if they are
    // sharded.
    std::vector<Parameter*> updatedParameters();
    // Copy the whole value or the whole averaged gradient of a parameter to host memory. trained: index in
    // trainedParameters(). Collective over the ranks that hold the same stages.
    void copyValue(std::size_t trained, std::span<float> to);
    void copyGradient(std::size_t trained, std::span<float> to);

  private:
    std::pair<PipelineStage&, std::size_t> stageOf(std::size_t trained);

    std::vector<PipelineStage> m_stages;
    std::map<std::size_t, std::size_t> m_indexOf;
    std::vector<Parameter*> m_trained;
};

}  // namespace ringside
