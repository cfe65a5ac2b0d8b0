// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "comm/communicator.h"
#include "config/mesh.h"

namespace ringside {

// Communicators of one rank in a mesh of ranks: one for each dimension of the mesh (data-parallel, shard, pipeline), as
// in torch.distributed.device_mesh.DeviceMesh. Also contains groups of two ranks for the messages between consecutive
// pipeline stages. Each direction has its own group, so that a blocked receive does not delay messages in the other
// direction. Construction is collective over all ranks.
class MeshGroups {
  public:
    // rankOfStage: for each stage, the number of the rank that holds it, counted within the pipeline.
    MeshGroups(Communicator& world, const RankLayout& layout, const std::vector<int>& rankOfStage);

    const RankLayout& layout() const { return m_layout; }
    Communicator& allRanks() { return m_world; }
    // Returns the data-parallel group: the ranks that hold the same stages and train on different samples.
    Communicator& dataParallelGroup() { return m_data ? *m_data : m_world; }
    // Returns the shard group: the ranks that together hold one replica of the parameters, each a different part.
    Communicator& shardGroup() { return m_shard ? *m_shard : dataParallelGroup(); }
    // Returns the group of ranks that hold the stages of one pipeline; they train on the same samples. May be called
    // only if there is a pipeline.
    Communicator& pipelineGroup() { return *m_pipeline; }

    // Return the group of two ranks that is used for the outputs of stage `fromStage` to the next stage, and for the
    // gradients of the next stage to stage `toStage`. Null if one rank holds both stages, or if this rank holds
    // neither. The sender is rank 0 of the group.
    Communicator* forwardEdge(std::size_t fromStage) { return m_forward[fromStage].get(); }
    Communicator* backwardEdge(std::size_t toStage) { return m_backward[toStage].get(); }

    std::int64_t bytesSent() const;  // returns the number of payload bytes that this rank has sent in all groups

  private:
    std::unique_ptr<Communicator> makeEdgeGroup(int sender, int receiver);

    Communicator& m_world;
    RankLayout m_layout;
    std::unique_ptr<Communicator> m_data;
    std::unique_ptr<Communicator> m_shard;
    std::unique_ptr<Communicator> m_pipeline;
    // for each sending stage, the group of two ranks for its outputs
    std::vector<std::unique_ptr<Communicator>> m_forward;
    std::vector<std::unique_ptr<Communicator>> m_backward;
};

}  // namespace ringside
