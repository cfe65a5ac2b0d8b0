// SPDX-License-Identifier: Apache-2.0
#include "cost/step_traffic.h"

#include "cost/rank_memory.h"

namespace ringside {
namespace {

std::int64_t reduced(std::int64_t bytes, std::int64_t ranks) {
    return 2 * bytes * (ranks - 1) / ranks;
}

std::int64_t ringShare(std::int64_t bytes, std::int64_t ranks) {
    return bytes * (ranks - 1) / ranks;
}

class Sent {
  public:
    Sent(const PlanSubject& subject, const StrategyPlan& plan, int rank)
        : m_subject(subject), m_plan(plan), m_layout{plan.mesh, rank} {}

    StepTraffic all() {
        for (const std::size_t stage : m_plan.stagesOf(m_layout.pipelineIndex())) {
            if (m_plan.mesh.shard > 1)
                shards(stage);
            else
                averages(stage);
            messages(stage);
            if (m_plan.leaves > 0 && m_plan.mesh.dataRanks() > 1) statistics(stage);
        }
        if (!m_plan.isWhole() || (m_plan.leaves > 0 && m_plan.devices == 0)) losses();
        return m_sent;
    }

  private:
    std::int64_t passes() const { return m_subject.config.training.accumulateSteps * m_plan.rounds(); }
    std::int64_t batches() const { return m_subject.config.training.accumulateSteps; }

    void averages(std::size_t stage) {
        const std::int64_t ranks = m_plan.mesh.dataRanks();
        if (ranks == 1) return;
        for (const std::int64_t bytes : bucketBytes(m_plan.parametersOf(stage), m_plan.buckets)) {
            m_sent.gradients += reduced(bytes, ranks);
            ++m_sent.collectives;
        }
    }

    // Returns how many times the parameters of a unit (fsdp.unit) are gathered in a step: in each forward and each
    // backward pass if its parameters are freed, otherwise once.
    std::int64_t gathersOf(bool freed) const {
        if (!freed) return 1;
        return 2 * passes();
    }

    void shards(std::size_t stage) {
        const Mesh& mesh = m_plan.mesh;
        const ShardingChoice& choice = m_plan.sharding;
        for (const auto& unit : unitsOf(m_plan, stage)) {
            for (const TensorSize& one : unit) {
                const std::int64_t whole = shardValueCount(one, mesh.shard) * mesh.shard * kFloatBytes;
                if (whole == 0) continue;
                const std::int64_t gathers = gathersOf(choice.freesParameters);
                m_sent.parameters += gathers * whole / mesh.shard * (mesh.shard - 1);
                m_sent.gradients +=
                    mesh.replicate == 1 ? ringShare(whole, mesh.shard) : reduced(whole, mesh.dataRanks());
                m_sent.collectives += static_cast<int>(gathers) + 1;
            }
        }
        if (choice.freesParameters) gatherAgain(stage);
    }

    // Counts the additional all-gathers of parameters for layers that are recomputed in the backward pass.
    void gatherAgain(std::size_t stage) {
        if (m_subject.config.fsdp.unit == ShardUnit::kWhole) return;
        for (std::size_t at = m_plan.stageBegin[stage]; at < m_plan.stageBegin[stage + 1]; ++at) {
            if (m_plan.layers[at].group.empty()) continue;
            for (const TensorSize& one : m_plan.layers[at].parameters) {
                const std::int64_t chunk = shardValueCount(one, m_plan.mesh.shard) * kFloatBytes;
                m_sent.parameters += passes() * chunk * (m_plan.mesh.shard - 1);
                m_sent.collectives += static_cast<int>(passes());
            }
        }
    }

    // Counts the all-reduce of batch norm's running statistics, which training.reduction canonical averages over the
    // leaves (groups of samples).
    void statistics(std::size_t stage) {
        std::int64_t bytes = 0;
        for (std::size_t at = m_plan.stageBegin[stage]; at < m_plan.stageBegin[stage + 1]; ++at)
            bytes +=
                m_plan.layers[at].bufferBytes -
                m_plan.layers[at].buffers / 3 * 8;  // bytes of the running statistics without the counters of batches
        if (bytes == 0) return;
        m_sent.rest += reduced(bytes, m_plan.mesh.dataRanks());
        ++m_sent.collectives;
    }

    bool isElsewhere(std::size_t stage) const { return m_plan.rankOfStage[stage] != m_layout.pipelineIndex(); }

    void messages(std::size_t stage) {
        const auto count = static_cast<int>(passes() * m_plan.microBatches);
        if (stage + 1 < m_plan.stages() && isElsewhere(stage + 1)) {
            m_sent.activations += stageOutputBytes(m_subject, m_plan, stage);
            m_sent.messages += count;
        }
        if (stage > 0 && isElsewhere(stage - 1)) {
            m_sent.activations += stageOutputBytes(m_subject, m_plan, stage - 1);
            m_sent.messages += count;
        }
    }

    void losses() {
        if (m_plan.mesh.pipeline > 1) {
            m_sent.rest += batches() * ringShare(2 * m_plan.maxBatch * kFloatBytes, m_plan.mesh.pipeline);
            m_sent.collectives += static_cast<int>(batches());
        }
        if (m_subject.config.optimizer.clipGradNorm <= 0) return;
        // Number of sums into which squares are added without rounding, one for each exponent.
        constexpr std::int64_t kExactSums = 512;
        std::int64_t sums = m_plan.leaves > 0 ? kExactSums : 0;  // without training.reduction canonical, one sum of
                                                                 // squares for each row of a gradient
        for (const BuiltLayer& layer : m_plan.layers)
            for (const TensorSize& one : layer.parameters)
                if (m_plan.leaves == 0) sums += one.rows;
        m_sent.rest += reduced(sums * 8, m_plan.mesh.ranks());
        ++m_sent.collectives;
    }

    const PlanSubject& m_subject;
    const StrategyPlan& m_plan;
    RankLayout m_layout;
    StepTraffic m_sent;
};

}  // namespace

StepTraffic predictTraffic(const PlanSubject& subject, const StrategyPlan& plan, int rank) {
    return Sent(subject, plan, rank).all();
}

std::int64_t stageOutputBytes(const PlanSubject& subject, const StrategyPlan& plan, std::size_t stage) {
    const Shape& between = plan.layers[plan.stageBegin[stage + 1]].input;
    return subject.config.training.accumulateSteps * subject.largestBatch() * between.count() * kFloatBytes;
}

}  // namespace ringside
