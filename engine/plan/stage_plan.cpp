// SPDX-License-Identifier: Apache-2.0
#include "plan/stage_plan.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "base/system/files.h"
#include "config/mesh.h"
#include "schedule/balanced_cut.h"

namespace ringside {
namespace {

Problem ofFile(const std::string& message, const std::string& remedy) {
    return {"pipeline.schedule_file", message, remedy};
}

// Returns the first backward action that a stage runs before the backward action of an earlier micro-batch; null if
// there is none. Such a schedule is refused: the gradients of a stage must be added in the order of the micro-batches,
// so that the sum equals gradient accumulation on one rank.
const PipelineAction* outOfOrder(const Schedule& schedule) {
    for (const auto& actions : schedule.ranks) {
        std::map<std::pair<int, bool>, int> last;  // micro-batch of the last backward action of each stage; the second
                                                   // key is true for actions that compute only the gradients of weights
        for (const PipelineAction& action : actions) {
            if (action.work == PipelineWork::kForward) continue;
            const auto key = std::pair(action.stage, action.work == PipelineWork::kWeights);
            const auto found = last.try_emplace(key, -1).first;
            if (action.microBatch != found->second + 1) return &action;
            found->second = action.microBatch;
        }
    }
    return nullptr;
}

Result<Schedule> scheduleFromFile(const RunConfig& config, const Mesh& mesh) {
    constexpr std::size_t kMaxBytes = 4 << 20;
    const std::string& path = config.pipeline.scheduleFile;
    const Result<std::string> text = readFile(path, kMaxBytes);
    if (!text)
        return ofFile("cannot be read: " + text.problem().message,
                      "choose a CSV file of actions, or leave the setting empty");
    const Result<Schedule> schedule = parseSchedule(text.value());
    if (!schedule)
        return ofFile("does not contain a valid schedule: " + schedule.problem().message, schedule.problem().remedy);
    const Result<bool> runs = checkSchedule(schedule.value());
    if (!runs)
        return ofFile("contains a schedule that cannot be run: " + runs.problem().message, runs.problem().remedy);
    if (const PipelineAction* early = outOfOrder(schedule.value()))
        return ofFile("runs the action " + early->text() +
                          " too early: each stage adds its gradients in the order of the micro-batches",
                      "order the backward actions of each stage by micro-batch");
    if (schedule.value().rankCount() != mesh.pipeline)
        return ofFile("contains a schedule for " + std::to_string(schedule.value().rankCount()) +
                          " ranks, but the pipeline has " + std::to_string(mesh.pipeline),
                      "set parallel.world_size or mesh.pipeline to match, or use another schedule");
    if (schedule.value().microBatchCount() != microBatchesOf(config))
        return ofFile("contains a schedule for " + std::to_string(schedule.value().microBatchCount()) +
                          " micro-batches, but pipeline.micro_batches is " + std::to_string(microBatchesOf(config)),
                      "set pipeline.micro_batches to " + std::to_string(schedule.value().microBatchCount()));
    return schedule;
}

ScheduleKind scheduleKind(PipelineScheduleKind kind) {
    switch (kind) {
        case PipelineScheduleKind::kGpipe:
            return ScheduleKind::kGpipe;
        case PipelineScheduleKind::k1F1B:
            return ScheduleKind::kOneForwardOneBackward;
        case PipelineScheduleKind::kInterleaved:
            return ScheduleKind::kInterleaved;
        case PipelineScheduleKind::kZeroBubble:
            break;
    }
    return ScheduleKind::kZeroBubble;
}

}  // namespace

Result<Schedule> plannedSchedule(const RunConfig& config) {
    const Mesh mesh = meshOf(config);
    const bool isPipeline = mesh.pipeline > 1 && config.parallel.strategy != StrategyKind::kModelParallel;
    if (isPipeline && !config.pipeline.scheduleFile.empty()) return scheduleFromFile(config, mesh);
    ScheduleShape shape{ScheduleKind::kGpipe, static_cast<int>(mesh.pipeline), static_cast<int>(microBatchesOf(config)),
                        mesh.pipeline > 1 ? static_cast<int>(stagesPerRank(config)) : 1};
    if (isPipeline) {
        shape.kind = scheduleKind(config.pipeline.schedule);
    }
    Result<Schedule> schedule = makeSchedule(shape);
    if (schedule) return schedule;
    Problem problem = schedule.problem();
    problem.field = "pipeline.micro_batches";
    return problem;
}

namespace {

// Returns a problem for a model that cannot be cut into as many parts as there are stages. layers: number of layers
// that the engine builds, without a flatten layer that only changes the shape. The text names the setting that
// determines the number of stages: mesh.pipeline if it is set, otherwise parallel.world_size.
Problem tooManyStages(const RunConfig& config, std::size_t stages, std::size_t layers) {
    const std::int64_t perRank = stagesPerRank(config);
    const std::int64_t fit = std::max<std::int64_t>(1, static_cast<std::int64_t>(layers) / perRank);
    const std::string partsText = std::to_string(layers) + (layers == 1 ? " part" : " parts");
    const std::string ranksText = std::to_string(fit) + (fit == 1 ? " rank" : " ranks");
    const std::string setting = config.mesh.pipeline > 0 ? "" : " (mesh.pipeline)";
    const std::string fewer = perRank > 1 ? ", fewer pipeline.stages_per_rank," : "";
    return {config.mesh.pipeline > 0 ? "mesh.pipeline" : "parallel.world_size",
            "makes " + std::to_string(stages) + " stages, but the model can be cut into at most " + partsText,
            "use at most " + ranksText + " in a pipeline" + setting + fewer + " or a model of more layers"};
}

}  // namespace

Result<std::vector<std::size_t>> stageSizes(const RunConfig& config, const std::vector<double>& costs,
                                            std::size_t stages) {
    if (stages > costs.size()) return tooManyStages(config, stages, costs.size());
    std::vector<std::size_t> sizes;
    for (const std::int64_t size : config.pipeline.split) sizes.push_back(static_cast<std::size_t>(size));
    if (sizes.empty()) return balancedCut(costs, stages);
    if (sizes.size() != stages)
        return Problem{"pipeline.split",
                       "has " + std::to_string(sizes.size()) + " entries for " + std::to_string(stages) + " stages",
                       "set one number of layers for each stage, or leave the list empty"};
    const std::size_t sum = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
    if (sum != costs.size())
        return Problem{
            "pipeline.split",
            "adds up to " + std::to_string(sum) + ", but the model has " + std::to_string(costs.size()) + " layers",
            "correct the numbers, or leave the field empty"};
    return sizes;
}

std::size_t maxInFlight(const std::vector<PipelineAction>& actions, int stage) {
    int now = 0;
    int most = 1;
    for (const PipelineAction& action : actions) {
        if (action.stage != stage) continue;
        if (action.work == PipelineWork::kForward) most = std::max(most, ++now);
        if (action.work == PipelineWork::kBackward || action.work == PipelineWork::kWeights) --now;
    }
    return static_cast<std::size_t>(most);
}

}  // namespace ringside
