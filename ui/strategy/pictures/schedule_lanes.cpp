// SPDX-License-Identifier: GPL-3.0-or-later
#include "strategy/pictures/schedule_lanes.h"

#include <QCoreApplication>
#include <algorithm>

#include "schedule/schedule_simulation.h"
#include "strategy/scene/strategy_sentences.h"

namespace ringside {
namespace {

constexpr int kMaxRanks = 8;  // maximum number of ranks that are shown if there is no pipeline
constexpr double kGather = 0.5;

QString laneText(const char* text) {
    return QCoreApplication::translate("strategy", text);
}

LaneBlock::Kind kindOf(PipelineWork work) {
    switch (work) {
        case PipelineWork::kForward:
            return LaneBlock::Kind::Forward;
        case PipelineWork::kBackward:
            return LaneBlock::Kind::Backward;
        case PipelineWork::kInput:
            return LaneBlock::Kind::Input;
        case PipelineWork::kWeights:
            break;
    }
    return LaneBlock::Kind::Weights;
}

QString wordsOf(PipelineWork work) {
    switch (work) {
        case PipelineWork::kForward:
            return laneText("forward");
        case PipelineWork::kBackward:
            return laneText("backward");
        case PipelineWork::kInput:
            return laneText("backward, input gradient");
        case PipelineWork::kWeights:
            break;
    }
    return laneText("backward, weight gradient");
}

LaneBlock blockOf(const PipelineAction& action, double begin, double end) {
    return {
        kindOf(action.work),
        begin,
        end,
        action.microBatch,
        QString::number(action.microBatch),
        laneText("micro-batch %1, stage %2: %3").arg(action.microBatch).arg(action.stage).arg(wordsOf(action.work))};
}

LaneGroup plannedPipeline(const StrategyScene& scene) {
    const ScheduleSimulation run = simulate(scene.plan().schedule, {});
    LaneGroup group{laneText("Planned"), {}, run.makespan, {}};
    group.lanes.resize(scene.plan().schedule.ranks.size());
    for (std::size_t stage = 0; stage < group.lanes.size(); ++stage) {
        group.lanes[stage].label = QString::number(stage);
        group.lanes[stage].rank = static_cast<int>(stage) * static_cast<int>(scene.plan().mesh.dataRanks());
    }
    for (const SimulatedAction& one : run.actions)
        group.lanes[static_cast<std::size_t>(one.rank)].blocks.push_back(blockOf(one.action, one.begin, one.end));
    return group;
}

QString unitName(const StrategyPlan& plan, std::size_t unit) {
    std::size_t at = 0;
    for (const BuiltLayer& layer : plan.layers)
        if (!layer.parameters.empty() && at++ == unit)
            return QString::fromStdString(layer.parameterPrefix.empty() ? layer.name : layer.parameterPrefix);
    return QString::number(unit);
}

// Makes the lanes of a sharded model, one lane per unit (layers that are gathered together). The lanes show when the
// parameters of each unit are gathered, used and freed, in the forward pass from the first unit to the last, in the
// backward pass in reverse order.
class UnitLanes {
  public:
    UnitLanes(const StrategyScene& scene, std::size_t units, bool frees, bool prefetches)
        : m_frees(frees), m_prefetches(prefetches), m_gathered(units, false), m_from(units, 0) {
        for (std::size_t i = 0; i < units; ++i)
            m_group.lanes.push_back({units == 1 ? laneText("all") : unitName(scene.plan(), i), {}});
    }

    LaneGroup made() {
        const std::size_t units = m_group.lanes.size();
        for (std::size_t i = 0; i < units; ++i) compute(i, i + 1, LaneBlock::Kind::Forward, 1);
        for (std::size_t i = units; i-- > 0;) {
            compute(i, i - 1, LaneBlock::Kind::Backward, 2);
            add(i, LaneBlock::Kind::Moving, m_now, m_now + kGather, laneText("scatter"),
                laneText("gradients are averaged and each rank keeps its part"));
        }
        m_now += kGather;
        for (std::size_t i = 0; i < units; ++i)
            if (m_gathered[i]) free(i, m_now);
        m_group.title = laneText("Planned");
        m_group.end = m_now;
        for (Lane& lane : m_group.lanes) std::ranges::stable_sort(lane.blocks, {}, &LaneBlock::begin);
        return std::move(m_group);
    }

  private:
    void add(std::size_t unit, LaneBlock::Kind kind, double begin, double end, const QString& text,
             const QString& what) {
        m_group.lanes[unit].blocks.push_back({kind, begin, end, -1, text, what});
    }
    void gather(std::size_t unit) {
        if (unit >= m_gathered.size() || m_gathered[unit]) return;
        m_gathered[unit] = true;
        m_from[unit] = m_now;
        add(unit, LaneBlock::Kind::Moving, m_now, m_now + kGather, laneText("gather"),
            laneText("the unit's parameters are gathered"));
    }
    void free(std::size_t unit, double at) {
        m_gathered[unit] = false;
        m_group.lanes[unit].blocks.insert(
            m_group.lanes[unit].blocks.begin(),
            {LaneBlock::Kind::Resident, m_from[unit], at, -1, {}, laneText("whole unit on each rank")});
    }
    void compute(std::size_t unit, std::size_t next, LaneBlock::Kind kind, double length) {
        const bool waits = !m_gathered[unit];
        gather(unit);
        if (waits) m_now += kGather;
        if (m_prefetches) gather(next);
        const bool forward = kind == LaneBlock::Kind::Forward;
        add(unit, kind, m_now, m_now + length, forward ? laneText("F") : laneText("B"),
            forward ? laneText("forward") : laneText("backward"));
        m_now += length;
        if (m_frees) free(unit, m_now);
    }

    bool m_frees;
    bool m_prefetches;
    std::vector<bool> m_gathered;
    std::vector<double> m_from;
    double m_now = 0;
    LaneGroup m_group;
};

LaneGroup plannedUnits(const StrategyScene& scene) {
    std::size_t units = 0;
    if (scene.plan().unit != ShardUnit::kWhole)
        for (const BuiltLayer& layer : scene.plan().layers) units += layer.parameters.empty() ? 0 : 1;
    const ShardingChoice& sharding = scene.plan().sharding;
    return UnitLanes(scene, std::max<std::size_t>(1, units), sharding.freesParameters, sharding.prefetches).made();
}

LaneGroup plannedReplicas(const StrategyScene& scene) {
    LaneGroup group{laneText("Planned"), {}, 3, {}};
    const auto ranks = static_cast<int>(scene.plan().mesh.ranks());
    for (int rank = 0; rank < std::min(ranks, kMaxRanks); ++rank) {
        Lane lane{QString::number(rank), {}, rank};
        lane.blocks.push_back({LaneBlock::Kind::Forward, 0, 1, -1, laneText("forward"),
                               laneText("forward pass with the rank's own batch")});
        lane.blocks.push_back({LaneBlock::Kind::Backward, 1, 3, -1, laneText("backward"), laneText("backward")});
        if (ranks > 1) {
            lane.blocks.push_back({LaneBlock::Kind::Moving, 3, 3.6, -1, laneText("average"),
                                   laneText("gradients are averaged over all ranks")});
            group.end = 3.6;
        }
        group.lanes.push_back(std::move(lane));
    }
    return group;
}

// Returns the measured lane of a rank: its forward and backward passes in the order in which they ran. Passes have the
// numbers of micro-batches only if the rank ran as many passes as the schedule plans.
Lane ranLane(const StrategyScene& scene, std::size_t rank) {
    const RankLayout place{scene.plan().mesh, static_cast<int>(rank)};
    const auto& actions = scene.plan().schedule.ranks[static_cast<std::size_t>(place.pipelineIndex())];
    const std::vector<PassSpan>& passes = scene.ran->passes[rank];
    const bool known = scene.isPipeline() && passes.size() == actions.size();
    Lane lane{QString::number(rank), {}, static_cast<int>(rank)};
    for (std::size_t i = 0; i < passes.size(); ++i) {
        const auto begin = static_cast<double>(passes[i].beginNs - scene.ran->range.beginNs);
        const auto end = static_cast<double>(passes[i].endNs - scene.ran->range.beginNs);
        LaneBlock block{passes[i].backward ? LaneBlock::Kind::Backward : LaneBlock::Kind::Forward, begin, end};
        if (known)
            block = blockOf(actions[i], begin, end);
        else
            block.text = block.what = passes[i].backward ? laneText("backward") : laneText("forward");
        block.what += QStringLiteral(", ") + stepTimeText((end - begin) / 1e9);
        lane.blocks.push_back(block);
    }
    return lane;
}

LaneGroup ranGroup(const StrategyScene& scene) {
    const auto end = static_cast<double>(scene.ran->range.endNs - scene.ran->range.beginNs);
    LaneGroup group{
        laneText("Ran"), laneText("step %1: %2").arg(scene.ran->step).arg(stepTimeText(end / 1e9)), end, {}};
    group.step = scene.ran->step;
    // With a pipeline, shows only the first rank of each stage, because all ranks of a stage do equal work. Without a
    // pipeline, shows the first kMaxRanks ranks.
    const auto step = scene.isPipeline() ? static_cast<std::size_t>(scene.plan().mesh.dataRanks()) : 1;
    for (std::size_t rank = 0; rank < scene.ran->passes.size(); rank += step) {
        if (!scene.isPipeline() && group.lanes.size() >= kMaxRanks) break;
        group.lanes.push_back(ranLane(scene, rank));
    }
    return group;
}

}  // namespace

std::vector<LaneGroup> scheduleLanes(const StrategyScene& scene) {
    if (!scene.cost) return {};
    std::vector<LaneGroup> groups;
    if (scene.isPipeline())
        groups.push_back(plannedPipeline(scene));
    else if (scene.isSharded())
        groups.push_back(plannedUnits(scene));
    else
        groups.push_back(plannedReplicas(scene));
    if (scene.ran && !scene.ran->passes.empty()) groups.push_back(ranGroup(scene));
    return groups;
}

}  // namespace ringside
