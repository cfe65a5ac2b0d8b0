// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "comm/communicator.h"
#include "config/mesh.h"

namespace ringside {

// Communicators of one rank of the mesh: a group for each dimension of the mesh (data-parallel, shard, pipeline), as
// in torch.distributed.device_mesh.DeviceMesh, and groups of two ranks for the messages between consecutive stages. Two
// consecutive stages have a separate group for each direction, so that a blocked receive does not delay messages in the
// other direction. Construction is collective over all ranks.
class MeshGroups {
  public:
    // rankOfStage: for each stage, the pipeline rank that holds it (the index of a rank within its pipeline).
    MeshGroups(Communicator& world, const RankLayout& layout, const std::vector<int>& rankOfStage);

    const RankLayout& layout() const { return m_layout; }
    Communicator& allRanks() { return m_world; }
    // Returns the data-parallel group: the ranks that hold the same stages and train on different samples.
    Communicator& dataParallelGroup() { return m_data ? *m_data : m_world; }
    // Returns the shard group: the ranks of one replica that hold different parts of the same parameters.
    Communicator& shardGroup() { return m_shard ? *m_shard : dataParallelGroup(); }
    // Returns the group of the ranks that hold the stages of one pipeline and train on the same samples. Must not be
    // called without a pipeline.
    Communicator& pipelineGroup() { return *m_pipeline; }

    // Return the group of two ranks for the outputs that stage `fromStage` sends to the next stage, and for the
    // gradients that stage `toStage` receives from the next stage. Null if one rank holds both stages, or if this rank
    // holds neither. The sender has rank 0 in the group.
    Communicator* forwardEdge(std::size_t fromStage) { return m_forward[fromStage].get(); }
    Communicator* backwardEdge(std::size_t toStage) { return m_backward[toStage].get(); }

    std::int64_t bytesSent() const;  // returns the payload sent in all groups, in bytes

  private:
    std::unique_ptr<Communicator> makeEdgeGroup(int sender, int receiver);

    Communicator& m_world;
    RankLayout m_layout;
    std::unique_ptr<Communicator> m_data;
    std::unique_ptr<Communicator> m_shard;
    std::unique_ptr<Communicator> m_pipeline;
    std::vector<std::unique_ptr<Communicator>> m_forward;  // groups of two ranks for outputs, indexed by the number of
                                                           // the sending stage
    std::vector<std::unique_ptr<Communicator>> m_backward;
};

}  // namespace ringside
