// SPDX-License-Identifier: GPL-3.0-or-later
#include "strategy/pictures/schedule_motion.h"

#include <QCoreApplication>
#include <algorithm>

namespace ringside {
namespace {

constexpr double kBefore = -1;
constexpr int kMaxNamed = 8;

QString motionText(const char* text) {
    return QCoreApplication::translate("strategy", text);
}

QString phaseWords(Phase phase) {
    switch (phase) {
        case Phase::kDataWait:
            return motionText("fetches its batch");
        case Phase::kForward:
            return motionText("forward");
        case Phase::kBackward:
            return motionText("backward");
        case Phase::kMoving:
            return motionText("averages gradients");
        case Phase::kConnect:
        case Phase::kCopy:
        case Phase::kWaiting:
        case Phase::kOptimizer:
        case Phase::kValidation:
        case Phase::kCheckpoint:
        case Phase::kPaused:
        case Phase::kIdle:
            break;
    }
    return motionText("updates weights");
}

bool isShown(const StrategyScene& scene) {
    return scene.cost && scene.motion &&
           static_cast<std::int64_t>(scene.motion->ranks.size()) == scene.plan().mesh.ranks();
}

bool isPass(Phase phase) {
    return phase == Phase::kForward || phase == Phase::kBackward;
}

// Returns the time at a position within the first block of this kind in a lane. part: 0 for the begin of the block, 1
// for its end. Empty if the lane has no block of this kind.
std::optional<double> momentIn(const Lane& lane, LaneBlock::Kind kind, double part) {
    const auto block = std::ranges::find(lane.blocks, kind, &LaneBlock::kind);
    if (block == lane.blocks.end()) return {};
    return block->begin + part * (block->end - block->begin);
}

std::optional<double> actionMoment(const StrategyScene& scene, const LaneGroup& planned, std::size_t lane,
                                   const RankMotion& rank) {
    if (rank.phase == Phase::kDataWait) return kBefore;
    if (!isPass(rank.phase)) return planned.end;
    const auto& actions = scene.plan().schedule.ranks[lane];
    const auto action =
        std::ranges::find_if(actions, [&](const PipelineAction& one) { return one.text() == rank.action; });
    if (action == actions.end()) return kBefore;
    const LaneBlock& block = planned.lanes[lane].blocks[static_cast<std::size_t>(action - actions.begin())];
    return (block.begin + block.end) / 2;
}

// Range of layers that are gathered together or computed together.
struct LayerGroup {
    std::size_t unit = 0;
    int first = 0;
    int last = 0;
};

LayerGroup groupOf(const StrategyScene& scene, int layer, std::size_t units) {
    const auto& layers = scene.plan().layers;
    const int count = static_cast<int>(layers.size());
    if (units <= 1) return {0, 0, count - 1};
    LayerGroup group{0, 0, count - 1};
    std::size_t unit = 0;
    bool any = false;
    for (int i = 0; i < count; ++i) {
        if (layers[static_cast<std::size_t>(i)].parameters.empty()) continue;
        if (any && i > layer) {
            group.last = i - 1;
            break;
        }
        unit += any ? 1 : 0;
        any = true;
        group.unit = unit;
        group.first = unit == 0 ? 0 : i;
    }
    return group;
}

double partOf(const LayerGroup& group, const RankMotion& rank) {
    if (rank.layer < 0) return 0;
    const double whole = group.last - group.first + 1;
    const double part = std::clamp((rank.layer - group.first + 0.5) / whole, 0.0, 1.0);
    return rank.phase == Phase::kForward ? part : 1 - part;
}

// Returns the position of a rank on the time axis that all lanes of a sharded model share.
double unitMoment(const StrategyScene& scene, const LaneGroup& planned, const RankMotion& rank) {
    if (rank.phase == Phase::kDataWait) return kBefore;
    if (!isPass(rank.phase)) return planned.end;
    const LaneBlock::Kind kind = rank.phase == Phase::kForward ? LaneBlock::Kind::Forward : LaneBlock::Kind::Backward;
    const bool backwards = kind == LaneBlock::Kind::Backward;
    const int layer = rank.layer >= 0 ? rank.layer : backwards ? static_cast<int>(scene.plan().layers.size()) - 1 : 0;
    const LayerGroup group = groupOf(scene, layer, planned.lanes.size());
    return momentIn(planned.lanes[group.unit], kind, partOf(group, rank)).value_or(kBefore);
}

double replicaMoment(const StrategyScene& scene, const LaneGroup& planned, std::size_t lane, const RankMotion& rank) {
    const Lane& own = planned.lanes[lane];
    if (rank.phase == Phase::kDataWait) return kBefore;
    if (rank.phase == Phase::kMoving) return momentIn(own, LaneBlock::Kind::Moving, 0.5).value_or(planned.end);
    if (!isPass(rank.phase)) return planned.end;
    const auto kind = rank.phase == Phase::kForward ? LaneBlock::Kind::Forward : LaneBlock::Kind::Backward;
    return momentIn(own, kind, partOf(groupOf(scene, 0, 1), rank)).value_or(kBefore);
}

bool isUnits(const StrategyScene& scene) {
    return scene.isSharded() && !scene.isPipeline();
}

}  // namespace

std::vector<std::optional<double>> laneMoments(const StrategyScene& scene, const LaneGroup& planned) {
    if (!isShown(scene)) return {};
    const std::vector<RankMotion>& ranks = scene.motion->ranks;
    std::vector<std::optional<double>> moments(planned.lanes.size());
    if (isUnits(scene)) {
        double least = planned.end;
        for (const RankMotion& rank : ranks) least = std::min(least, unitMoment(scene, planned, rank));
        std::ranges::fill(moments, least);
        return moments;
    }
    const auto step = scene.isPipeline() ? static_cast<std::size_t>(scene.plan().mesh.dataRanks()) : 1;
    for (std::size_t lane = 0; lane < moments.size(); ++lane)
        moments[lane] = scene.isPipeline() ? actionMoment(scene, planned, lane, ranks[lane * step])
                                           : replicaMoment(scene, planned, lane, ranks[lane]);
    return moments;
}

std::vector<bool> gatheredNow(const StrategyScene& scene, const LaneGroup& planned) {
    if (!isShown(scene) || !isUnits(scene)) return {};
    const std::optional<double> now = laneMoments(scene, planned).front();
    std::vector<bool> gathered;
    for (const Lane& lane : planned.lanes)
        gathered.push_back(now && std::ranges::any_of(lane.blocks, [&](const LaneBlock& block) {
                               return block.kind == LaneBlock::Kind::Resident && block.begin <= *now &&
                                      *now < block.end;
                           }));
    return gathered;
}

bool isSendingNow(const StrategyScene& scene, StepLink::What what, int from) {
    if (!isShown(scene)) return false;
    const RankMotion& rank = scene.motion->ranks[static_cast<std::size_t>(from)];
    const bool pass = isPass(rank.phase);
    switch (what) {
        case StepLink::What::kGradients:
            return rank.phase == Phase::kMoving || (isUnits(scene) && rank.phase == Phase::kBackward);
        case StepLink::What::kParameters:
            return scene.config.fsdp.shard == ShardedState::kParameters ? pass : rank.phase == Phase::kOptimizer;
        case StepLink::What::kActivations:
            return rank.phase == Phase::kForward && !rank.action.empty();
        case StepLink::What::kActivationGradients:
            break;
    }
    return rank.phase == Phase::kBackward && !rank.action.empty();
}

QString motionSentence(const StrategyScene& scene) {
    if (!isShown(scene)) return {};
    QStringList parts;
    const std::vector<RankMotion>& ranks = scene.motion->ranks;
    for (std::size_t rank = 0; rank < ranks.size() && parts.size() < kMaxNamed; ++rank) {
        QString words = phaseWords(ranks[rank].phase);
        if (isPass(ranks[rank].phase) && !ranks[rank].action.empty())
            words = QString::fromStdString(ranks[rank].action);
        else if (isPass(ranks[rank].phase) && ranks[rank].layer >= 0)
            words = motionText("%1, layer %2").arg(words).arg(ranks[rank].layer);
        parts << motionText("rank %1 %2").arg(rank).arg(words);
    }
    return motionText("Step %1: %2").arg(scene.motion->step).arg(parts.join(QStringLiteral(" \u00b7 ")));
}

}  // namespace ringside
