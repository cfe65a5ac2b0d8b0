// SPDX-License-Identifier: Apache-2.0
#include "parallel/mesh/mesh_groups.h"

namespace ringside {

MeshGroups::MeshGroups(Communicator& world, const RankLayout& layout, const std::vector<int>& rankOfStage)
    : m_world(world), m_layout(layout) {
    const Mesh& mesh = layout.mesh;
    if (mesh.pipeline > 1) m_data = world.split(layout.pipelineIndex(), layout.dataRank());
    if (mesh.shard > 1 && mesh.replicate > 1)
        m_shard = dataParallelGroup().split(layout.replicateIndex(), layout.shardIndex());
    if (mesh.pipeline == 1) return;
    m_pipeline = world.split(layout.dataRank(), layout.pipelineIndex());
    for (std::size_t stage = 0; stage + 1 < rankOfStage.size(); ++stage) {
        m_forward.push_back(makeEdgeGroup(rankOfStage[stage], rankOfStage[stage + 1]));
        m_backward.push_back(makeEdgeGroup(rankOfStage[stage + 1], rankOfStage[stage]));
    }
}

std::unique_ptr<Communicator> MeshGroups::makeEdgeGroup(int sender, int receiver) {
    if (sender == receiver) return nullptr;
    const int own = m_layout.pipelineIndex();
    const bool isEnd = own == sender || own == receiver;
    return m_pipeline->split(isEnd ? 0 : -1, own == sender ? 0 : 1, GroupUse::kMessages);
}

std::int64_t MeshGroups::bytesSent() const {
    std::int64_t bytes = m_world.bytesSent();
    for (const auto* one : {&m_data, &m_shard, &m_pipeline})
        if (*one) bytes += (*one)->bytesSent();
    for (const auto* edges : {&m_forward, &m_backward})
        for (const auto& one : *edges)
            if (one) bytes += one->bytesSent();
    return bytes;
}

}  // namespace ringside
