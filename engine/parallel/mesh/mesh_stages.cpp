// SPDX-License-Identifier: Apache-2.0
#include "parallel/mesh/mesh_stages.h"

#include <algorithm>

namespace ringside {

PipelineStage& MeshStages::add(const StageDependencies& stage) {
    m_indexOf[stage.number] = m_stages.size();
    return m_stages.emplace_back(stage);
}

void MeshStages::watchGradients(const std::function<void(std::size_t, const Tensor&)>& onLocalGradient) {
    for (PipelineStage& stage : m_stages) {
        const std::size_t first = m_trained.size();
        m_trained.insert(m_trained.end(), stage.model().parameters().begin(), stage.model().parameters().end());
        if (!onLocalGradient) continue;
        stage.store().watch([onLocalGradient, first](std::size_t parameter, const Tensor& gradient) {
            onLocalGradient(first + parameter, gradient);
        });
    }
}

void MeshStages::finishTransfers() {
    for (PipelineStage& stage : m_stages) {
        stage.finishSends();
        stage.store().updated();
    }
}

void MeshStages::abandonStep() {
    for (PipelineStage& stage : m_stages) stage.abandonStep();
}

PipelineStage* MeshStages::findStage(std::size_t number) {
    const auto found = m_indexOf.find(number);
    return found == m_indexOf.end() ? nullptr : &m_stages[found->second];
}

std::vector<Parameter*> MeshStages::updatedParameters() {
    std::vector<Parameter*> all;
    for (PipelineStage& stage : m_stages)
        all.insert(all.end(), stage.store().trained().begin(), stage.store().trained().end());
    return all;
}

std::pair<PipelineStage&, std::size_t> MeshStages::stageOf(std::size_t trained) {
    for (PipelineStage& stage : m_stages) {
        const std::size_t count = stage.model().parameters().size();
        if (trained < count) return {stage, trained};
        trained -= count;
    }
    RINGSIDE_ASSERT(false);
    return {m_stages.front(), 0};
}

void MeshStages::copyValue(std::size_t trained, std::span<float> to) {
    const auto [stage, place] = stageOf(trained);
    std::vector<float> whole;
    stage.store().gather(place, stage.store().localValue(place), whole);
    std::copy_n(whole.begin(), to.size(), to.begin());
}

void MeshStages::copyGradient(std::size_t trained, std::span<float> to) {
    const auto [stage, place] = stageOf(trained);
    std::vector<float> whole;
    stage.store().gather(place, stage.store().localGradient(place), whole);
    std::copy_n(whole.begin(), to.size(), to.begin());
}

}  // namespace ringside
