// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "comm/communicator.h"
#include "config/mesh.h"

namespace ringside {

// A rank's groups in each direction of the mesh, and a group of two for each direction of each edge between stages on
// different ranks: an early receive holds up no other message. All ranks make theirs at the same time.
class MeshGroups {
  public:
    // rankOfStage: place in the pipeline of each stage.
    MeshGroups(Communicator& world, const RankLayout& layout, const std::vector<int>& rankOfStage);

    const RankLayout& layout() const { return m_layout; }
    Communicator& world() { return m_world; }
    Communicator& data() { return m_data ? *m_data : m_world; }    // other samples, the same stages
    Communicator& shard() { return m_shard ? *m_shard : data(); }  // the same replica and stages
    Communicator& pipeline() { return *m_pipeline; }               // the same samples; only with a pipeline

    // From a stage to the next, and back; null where both are on one rank, or on others. The sender is rank 0.
    Communicator* forwardEdge(std::size_t fromStage) { return m_forward[fromStage].get(); }
    Communicator* backwardEdge(std::size_t toStage) { return m_backward[toStage].get(); }

    std::int64_t bytesSent() const;  // in all of them

  private:
    std::unique_ptr<Communicator> edge(int sender, int receiver);

    Communicator& m_world;
    RankLayout m_layout;
    std::unique_ptr<Communicator> m_data;
    std::unique_ptr<Communicator> m_shard;
    std::unique_ptr<Communicator> m_pipeline;
    std::vector<std::unique_ptr<Communicator>> m_forward;  // by the edge's first stage
    std::vector<std::unique_ptr<Communicator>> m_backward;
};

}  // namespace ringside
