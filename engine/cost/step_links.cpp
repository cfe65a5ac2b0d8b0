// SPDX-License-Identifier: Apache-2.0
#include "cost/step_links.h"

#include <map>
#include <tuple>

#include "cost/step_traffic.h"

namespace ringside {
namespace {

class Links {
  public:
    Links(const PlanSubject& subject, const StrategyPlan& plan) : m_subject(subject), m_plan(plan) {}

    std::vector<StepLink> all() {
        for (int rank = 0; rank < m_plan.mesh.ranks(); ++rank) {
            const RankLayout layout{m_plan.mesh, rank};
            rings(layout);
            for (const std::size_t stage : m_plan.stagesOf(layout.pipelineIndex())) edges(layout, stage);
        }
        return std::move(m_links);
    }

  private:
    int rankAt(int pipeline, int dataRank) const {
        return pipeline * static_cast<int>(m_plan.mesh.dataRanks()) + dataRank;
    }

    void add(int from, int to, StepLink::What what, std::int64_t bytes) {
        if (bytes == 0 || from == to) return;
        const auto [place, isNew] = m_indices.try_emplace({from, to, what}, m_links.size());
        if (isNew) m_links.push_back({from, to, what, 0});
        m_links[place->second].bytes += bytes;
    }

    void rings(const RankLayout& layout) {
        const StepTraffic sent = predictTraffic(m_subject, m_plan, layout.rank);
        const auto shards = static_cast<int>(m_plan.mesh.shard);
        const int data = rankAt(layout.pipelineIndex(), (layout.dataRank() + 1) % layout.dataRankCount());
        const int shard = rankAt(layout.pipelineIndex(),
                                 layout.dataRank() - layout.shardIndex() + (layout.shardIndex() + 1) % shards);
        const bool inShards = shards > 1 && m_plan.mesh.replicate == 1;
        add(layout.rank, shard, StepLink::What::kParameters, sent.parameters);
        add(layout.rank, inShards ? shard : data, StepLink::What::kGradients, sent.gradients);
    }

    void edges(const RankLayout& layout, std::size_t stage) {
        const auto to = [&](std::size_t other) { return rankAt(m_plan.rankOfStage[other], layout.dataRank()); };
        if (stage + 1 < m_plan.stages()) addEdge(layout.rank, to(stage + 1), StepLink::What::kActivations, stage);
        if (stage > 0) addEdge(layout.rank, to(stage - 1), StepLink::What::kActivationGradients, stage - 1);
    }

    void addEdge(int from, int to, StepLink::What what, std::size_t stage) {
        if (from != to) add(from, to, what, stageOutputBytes(m_subject, m_plan, stage));
    }

    const PlanSubject& m_subject;
    const StrategyPlan& m_plan;
    std::vector<StepLink> m_links;
    std::map<std::tuple<int, int, StepLink::What>, std::size_t> m_indices;
};

}  // namespace

std::vector<StepLink> stepLinks(const PlanSubject& subject, const StrategyPlan& plan) {
    return Links(subject, plan).all();
}

}  // namespace ringside
