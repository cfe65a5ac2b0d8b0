// SPDX-License-Identifier: Apache-2.0
#include "cost/memory_over_step.h"

#include <algorithm>
#include <map>

#include "plan/stage_plan.h"
#include "schedule/schedule_simulation.h"

namespace ringside {
namespace {

constexpr double kForward = 1, kBackward = 2, kMove = 0.5;

using Class = std::int64_t PredictedMemory::*;

// Changes of the memory in use: the time of each change and the difference in bytes, ordered by time.
class Changes {
  public:
    void add(double at, Class what, std::int64_t bytes) { m_changes[at].*what += bytes; }

    MemoryCurve curve(const PredictedMemory& first, double end) const {
        MemoryCurve curve{.end = end};
        PredictedMemory now = first;
        if (m_changes.empty() || m_changes.begin()->first > 0) curve.moments.push_back({0, now});
        for (const auto& [at, change] : m_changes) {
            now.activations += change.activations;
            now.gathered += change.gathered;
            curve.moments.push_back({at, now});
        }
        return curve;
    }

  private:
    std::map<double, PredictedMemory> m_changes;
};

// Divides the number `whole` into parts in proportion to the weights. The last part with a positive weight also gets
// the remainder of the rounding.
std::vector<std::int64_t> divideInProportion(std::int64_t whole, const std::vector<std::int64_t>& weights) {
    double all = 0;
    for (const std::int64_t one : weights) all += static_cast<double>(one);
    std::vector<std::int64_t> parts;
    std::int64_t left = whole;
    for (const std::int64_t one : weights) {
        parts.push_back(all > 0 ? static_cast<std::int64_t>(static_cast<double>(whole) * static_cast<double>(one) / all)
                                : 0);
        left -= parts.back();
    }
    for (std::size_t i = parts.size(); i-- > 0;)
        if (weights[i] > 0) {
            parts[i] += left;
            break;
        }
    return parts;
}

// Consecutive layers that the memory curve treats as one piece: a layer with parameters and the layers after it up to
// the next layer with parameters, or all layers.
struct Piece {
    std::int64_t activations = 0;
    std::int64_t whole = 0;  // bytes of the whole parameters of a unit (layers that are gathered together)
    std::int64_t shard = 0;  // bytes of the part of these parameters that this rank stores
};

std::vector<Piece> piecesOf(const StrategyPlan& plan, bool asOne, std::int64_t activations) {
    std::vector<Piece> pieces;
    std::vector<std::int64_t> weights;
    for (std::size_t i = 0; i < plan.layers.size(); ++i) {
        const BuiltLayer& layer = plan.layers[i];
        const bool begins = pieces.empty() || (!asOne && !layer.parameters.empty());
        if (begins) {
            pieces.emplace_back();
            weights.push_back(0);
        }
        weights.back() += activationBytes(plan.layers, i, i + 1, plan.maxBatch);
        for (const TensorSize& one : layer.parameters) {
            pieces.back().shard += shardValueCount(one, plan.mesh.shard) * kFloatBytes;
            pieces.back().whole += shardValueCount(one, plan.mesh.shard) * plan.mesh.shard * kFloatBytes;
        }
    }
    const std::vector<std::int64_t> parts = divideInProportion(activations, weights);
    for (std::size_t i = 0; i < pieces.size(); ++i) pieces[i].activations = parts[i];
    return pieces;
}

// Computes the memory curve of a rank that executes all layers one after the other, with whole parameters or with
// parameters that are gathered unit by unit (fsdp.unit).
class LayersInTurn {
  public:
    LayersInTurn(const PlanSubject& subject, const StrategyPlan& plan, const PredictedMemory& taken)
        : m_sharded(plan.mesh.shard > 1),
          m_asOne(subject.config.fsdp.unit == ShardUnit::kWhole),
          m_keeps(subject.config.training.accumulateSteps > 1 || plan.leaves > 1),
          m_choice(plan.sharding),
          m_first(taken),
          m_pieces(piecesOf(plan, m_sharded && m_asOne, taken.activations)),
          m_gathered(m_pieces.size(), false) {
        m_first.activations = 0;
        if (m_sharded) m_first.gathered = 0;
    }

    MemoryCurve made() {
        const std::size_t count = m_pieces.size();
        const double pieces = m_sharded ? 1 : static_cast<double>(std::max<std::size_t>(1, count));
        for (std::size_t i = 0; i < count; ++i) {
            begin(i, i + 1);
            m_changes.add(m_now, &PredictedMemory::activations, m_pieces[i].activations);
            m_now += kForward / pieces;
            if (m_choice.freesParameters) free(i);
        }
        for (std::size_t i = count; i-- > 0;) backward(i, pieces);
        if (m_sharded) m_now += kMove;
        for (std::size_t i = 0; i < count; ++i) free(i);
        return m_changes.curve(m_first, m_now);
    }

  private:
    // Adds the backward pass of a piece to the memory curve. The gradients of the piece are scattered before the
    // backward pass of the next piece begins.
    void backward(std::size_t i, double pieces) {
        const bool scatters = m_sharded && !m_choice.keepsGradients;
        begin(i, i - 1);
        if (scatters) m_changes.add(m_now, &PredictedMemory::gathered, gatheredOf(i, m_asOne || m_keeps));
        m_now += kBackward / pieces;
        m_changes.add(m_now, &PredictedMemory::activations, -m_pieces[i].activations);
        if (m_choice.freesParameters) free(i);
        if (!scatters) return;
        m_now += kMove;
        m_changes.add(m_now, &PredictedMemory::gathered, -gatheredOf(i, m_asOne || m_keeps));
    }
    // Returns the bytes that a unit (layers that are gathered together) needs in addition to this rank's shard. If the
    // unit has its own memory for the whole tensors, the shard is a part of this memory.
    std::int64_t gatheredOf(std::size_t i, bool ownMemory) const {
        return m_pieces[i].whole - (ownMemory ? m_pieces[i].shard : 0);
    }
    void begin(std::size_t i, std::size_t next) {
        if (!m_sharded) return;
        const bool waits = !m_gathered[i];
        gather(i);
        if (waits) m_now += kMove;
        if (m_choice.prefetches && next < m_pieces.size()) gather(next);
    }
    void gather(std::size_t i) {
        if (m_gathered[i]) return;
        m_gathered[i] = true;
        if (m_choice.freesParameters) m_changes.add(m_now, &PredictedMemory::gathered, gatheredOf(i, m_asOne));
    }
    void free(std::size_t i) {
        if (!m_gathered[i]) return;
        m_gathered[i] = false;
        if (m_choice.freesParameters) m_changes.add(m_now, &PredictedMemory::gathered, -gatheredOf(i, m_asOne));
    }

    bool m_sharded;
    bool m_asOne;  // true: the parameters of the whole model are gathered together
    bool m_keeps;  // true: gradients of earlier passes are kept, in memory for whole tensors
    ShardingChoice m_choice;
    PredictedMemory m_first;
    std::vector<Piece> m_pieces;
    std::vector<bool> m_gathered;
    double m_now = 0;
    Changes m_changes;
};

// Computes the memory curve of a pipeline rank. A micro-batch is in memory from its forward pass to the end of its
// backward pass, or, if the schedule splits backward passes, to the end of the half that computes the gradients of the
// weights.
MemoryCurve pipelineCurve(const StrategyPlan& plan, int place, PredictedMemory taken) {
    const auto& actions = plan.schedule.ranks[static_cast<std::size_t>(place)];
    std::vector<std::int64_t> weights(plan.stages(), 0);
    for (const std::size_t stage : plan.stagesOf(place)) {
        const std::size_t last = plan.stageBegin[stage + 1];
        // Memory of one micro-batch in bytes: the activations of the stage, and the output that is sent to the next
        // stage.
        const std::int64_t bytes = activationBytes(plan.layers, plan.stageBegin[stage], last, plan.microRows) +
                                   plan.layers[last - 1].output.count() * plan.microRows * kFloatBytes;
        weights[stage] = bytes * static_cast<std::int64_t>(maxInFlight(actions, static_cast<int>(stage)));
    }
    const std::vector<std::int64_t> ofStage = divideInProportion(taken.activations, weights);
    const auto perSlot = [&](int stage) {
        return ofStage[static_cast<std::size_t>(stage)] /
               std::max<std::int64_t>(1, static_cast<std::int64_t>(maxInFlight(actions, stage)));
    };
    const bool inHalves =
        std::ranges::any_of(actions, [](const PipelineAction& one) { return one.work == PipelineWork::kWeights; });
    const ScheduleSimulation run = simulate(plan.schedule, {});
    Changes changes;
    taken.activations = 0;
    for (const SimulatedAction& one : run.actions) {
        if (one.rank != place) continue;
        const PipelineWork work = one.action.work;
        if (work == PipelineWork::kForward)
            changes.add(one.begin, &PredictedMemory::activations, perSlot(one.action.stage));
        const bool ends = inHalves ? work == PipelineWork::kWeights || work == PipelineWork::kBackward
                                   : work == PipelineWork::kBackward;
        if (ends) changes.add(one.end, &PredictedMemory::activations, -perSlot(one.action.stage));
    }
    return changes.curve(taken, run.makespan);
}

}  // namespace

std::int64_t MemoryCurve::peakBytes() const {
    std::int64_t most = 0;
    for (const MemoryMoment& one : moments) most = std::max(most, one.inUse.peak());
    return most;
}

double MemoryCurve::peakTime() const {
    const auto found = std::ranges::max_element(moments, {}, [](const MemoryMoment& one) { return one.inUse.peak(); });
    return found == moments.end() ? 0 : found->at;
}

MemoryCurve memoryOverStep(const PlanSubject& subject, const StrategyPlan& plan, int rank) {
    const PredictedMemory taken = predictMemory(subject, plan, rank);
    if (plan.mesh.pipeline > 1) return pipelineCurve(plan, RankLayout{plan.mesh, rank}.pipelineIndex(), taken);
    return LayersInTurn(subject, plan, taken).made();
}

}  // namespace ringside
