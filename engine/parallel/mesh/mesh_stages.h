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

// Pipeline stages on this rank in ascending order, and the parameters that they train.
class MeshStages {
  public:
    // Adds a stage. Stages must be added in ascending order of their numbers.
    PipelineStage& add(const StageDependencies& stage);
    // Makes the list of the parameters of all stages. If `onLocalGradient` is not empty, it is called with each local
    // gradient and the parameter's index in trainedParameters(). Must be called after each stage has its
    // ParameterStore.
    void watchGradients(const std::function<void(std::size_t, const Tensor&)>& onLocalGradient);

    std::vector<PipelineStage>& allStages() { return m_stages; }
    // Waits for the messages and gathers in progress, and discards gathered parameters. Called at the start and at the
    // end of a recorded step: handles of recorded operations are valid only while recording, and a CUDA graph must
    // contain all gathers that its passes need.
    void finishTransfers();
    // Frees the memory of all micro-batches in flight (slots) after an exception has interrupted the recording of a
    // step.
    void abandonStep();
    // Returns the stage with this number in the pipeline; null if another rank holds that stage.
    PipelineStage* findStage(std::size_t number);
    // Returns the index in allStages() of stage `number`, which must be on this rank.
    std::size_t indexOf(std::size_t number) const { return m_indexOf.at(number); }
    bool containsStage(std::size_t number) const { return m_indexOf.contains(number); }

    // Returns the parameters of all stages on this rank, in the order of Strategy::localParameters(). Sharded
    // parameters have their whole shapes.
    const std::vector<Parameter*>& trainedParameters() const { return m_trained; }
    // Returns the parameters that the optimizer of this rank updates. If parameters are sharded, these are this rank's
    // shards.
    std::vector<Parameter*> updatedParameters();
    // Copy the whole value, or the whole averaged gradient, of a parameter to host memory. trained: index in
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
