// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "comm/communicator.h"
#include "config/mesh.h"

namespace ringside {

// Communicators of a rank in each direction of the mesh, and a group of two ranks for each direction of each edge
// between stages on different ranks, so that an early receive delays no other message. Construction is collective over
// all ranks.
class MeshGroups {
  public:
    // rankOfStage: pipeline rank of each stage, indexed by stage.
    MeshGroups(Communicator& world, const RankLayout& layout, const std::vector<int>& rankOfStage);

    const RankLayout& layout() const { return m_layout; }
    Communicator& world() { return m_world; }
    // Returns the group of ranks with the same stages and other samples.
    Communicator& data() { return m_data ? *m_data : m_world; }
    // Returns the group of ranks with the same replica and stages.
    Communicator& shard() { return m_shard ? *m_shard : data(); }
    // Returns the group of ranks with the same samples; only with a pipeline.
    Communicator& pipeline() { return *m_pipeline; }

    // Groups for messages from a stage to the next and back. Null if both stages are on the same rank or neither is on
    // this rank. The sender has rank 0.
    Communicator* forwardEdge(std::size_t fromStage) { return m_forward[fromStage].get(); }
    Communicator* backwardEdge(std::size_t toStage) { return m_backward[toStage].get(); }

    std::int64_t bytesSent() const;  // returns the payload sent in all groups, in bytes

  private:
    std::unique_ptr<Communicator> edge(int sender, int receiver);

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
