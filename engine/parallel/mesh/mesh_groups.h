// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "comm/communicator.h"
#include "config/mesh.h"

namespace ringside {

// Communicators of one rank of the mesh: a group for each direction of the mesh (data-parallel, shard, pipeline), and
// groups of two ranks for the messages between neighbouring stages. Each edge between two stages has one group per
// direction of the messages, so that a receive that waits delays no other message. Construction is collective over all
// ranks.
class MeshGroups {
  public:
    // rankOfStage: pipeline rank of each stage, indexed by stage.
    MeshGroups(Communicator& world, const RankLayout& layout, const std::vector<int>& rankOfStage);

    const RankLayout& layout() const { return m_layout; }
    Communicator& allRanks() { return m_world; }
    // Returns the data-parallel group: the ranks that hold the same stages and train on different samples.
    Communicator& dataParallelGroup() { return m_data ? *m_data : m_world; }
    // Returns the shard group: the ranks of the same replica that share the parameters of the same stages.
    Communicator& shardGroup() { return m_shard ? *m_shard : dataParallelGroup(); }
    // Returns the group of the ranks that hold the stages of one pipeline and train on the same samples. Call only with
    // a pipeline.
    Communicator& pipelineGroup() { return *m_pipeline; }

    // Return the group of two ranks for messages from a stage to the next stage (outputs) or back (gradients). Null if
    // both stages are on the same rank or neither is on this rank. The sender has rank 0 in the group.
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
    std::vector<std::unique_ptr<Communicator>> m_forward;  // groups of two ranks, indexed by the first stage of the
                                                           // edge between them
    std::vector<std::unique_ptr<Communicator>> m_backward;
};

}  // namespace ringside
