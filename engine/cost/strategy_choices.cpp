// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>

#include "base/text/number_text.h"
#include "cost/memory_limit.h"
#include "cost/strategy_cost.h"

namespace ringside {
namespace {

// Returns the same experiment with another strategy. Drops the experiment's mesh, split and schedule file, because they
// suit only its own strategy.
RunConfig withStrategy(const RunConfig& config, StrategyKind strategy) {
    RunConfig made = config;
    made.parallel.strategy = strategy;
    made.mesh = {};
    made.pipeline.split.clear();
    made.pipeline.scheduleFile.clear();
    if (strategy != StrategyKind::kPipeline) made.pipeline.stagesPerRank = 1;
    return made;
}

bool suits(const RunConfig& config, std::int64_t microBatches) {
    RunConfig tried = config;
    tried.pipeline.microBatches = microBatches;
    return tried.validateForTraining().empty();
}

// Sets the number of micro-batches to the configured number or to the nearest number that the strategy accepts. If it
// accepts none, the number is left unchanged and validation reports the problem.
void chooseMicroBatches(RunConfig& config) {
    constexpr std::int64_t kMax = 4096;  // maximum of pipeline.micro_batches
    const std::int64_t wanted = config.pipeline.microBatches;
    const std::int64_t batch = config.loader.batchSize;
    if (suits(config, wanted)) return;
    for (std::int64_t off = 1; off <= std::min(batch, kMax); ++off) {
        for (const std::int64_t one : {wanted + off, wanted - off}) {
            if (one < 1 || one > std::min(batch, kMax) || batch % one != 0) continue;
            if (!suits(config, one)) continue;
            config.pipeline.microBatches = one;
            return;
        }
    }
}

RunConfig sharded(const RunConfig& config, ShardedState shard) {
    RunConfig made = withStrategy(config, StrategyKind::kFsdp);
    made.fsdp.shard = shard;
    return made;
}

RunConfig pipelined(const RunConfig& config, PipelineScheduleKind schedule, std::int64_t replicas) {
    RunConfig made = withStrategy(config, StrategyKind::kPipeline);
    made.pipeline.schedule = schedule;
    made.mesh.replicate = replicas;
    made.pipeline.stagesPerRank = stagesPerRankFor(schedule, config);
    chooseMicroBatches(made);
    return made;
}

// Returns the options of a sharded strategy as text: "2 replicas over 2 ranks, optimizer, by block". Without replicas,
// omits the level of sharding, because the choice's name contains the level.
std::string shardingText(const RunConfig& config, const Mesh& mesh) {
    std::string text = "over " + counted(mesh.shard, "rank");
    if (mesh.replicate > 1) text = counted(mesh.replicate, "replica") + " " + text + ", " + textOf(config.fsdp.shard);
    return text + ", by " + textOf(config.fsdp.unit);
}

// Returns the options of a pipeline as text: "2 replicas of 4 stages over 2 ranks each, 8 micro-batches, 1f1b". Omits
// the schedule if the choice's name contains it.
std::string stagesText(const RunConfig& config, const Mesh& mesh, std::int64_t stages) {
    std::string text = counted(stages, "stage");
    if (mesh.replicate > 1) text = counted(mesh.replicate, "replica") + " of " + text;
    if (mesh.shard > 1) text += " over " + counted(mesh.shard, "rank") + " each";
    if (config.parallel.strategy != StrategyKind::kPipeline) return text;
    text += ", " + counted(config.pipeline.microBatches, "micro-batch");
    const bool named = strategyName(config).starts_with("pipeline:") || !config.pipeline.scheduleFile.empty();
    return named ? text : text + ", " + textOf(config.pipeline.schedule);
}

// Returns the options of a choice as text. stages: number of planned stages; empty if planning failed.
std::string optionsOf(const RunConfig& config, std::optional<std::int64_t> stages) {
    const Mesh mesh = meshOf(config);
    switch (config.parallel.strategy) {
        case StrategyKind::kDataParallel:
            return std::to_string(devicesOf(config)) + " devices, one process";
        case StrategyKind::kDdp:
            return counted(mesh.replicate, "replica");
        case StrategyKind::kFsdp:
            return shardingText(config, mesh);
        case StrategyKind::kModelParallel:
        case StrategyKind::kPipeline:
            break;
    }
    return stagesText(config, mesh, stages.value_or(mesh.pipeline * stagesPerRank(config)));
}

std::string whyTooLarge(const StrategyCost& cost, const RunConfig& config) {
    if (!isClearlyOverMemoryLimit(cost.largestPeak(), config)) return {};
    return "the strategy needs " + mebibytesText(cost.largestPeak()) +
           " MiB per rank; parallel.memory_limit_mb allows " + plainNumber(config.parallel.memoryLimitMb) + " MiB";
}

class Choices {
  public:
    Choices(const PlanSubject& subject, const MachineRates& rates)
        : m_subject(subject), m_rates(rates), m_current(strategyName(subject.config)) {}

    // Adds a choice with its cost. The configuration of the choice is `offered`; only the choice that the experiment
    // already uses keeps the experiment's configuration.
    void add(const std::string& name, const RunConfig& offered) {
        const bool isCurrent = name == m_current;
        StrategyChoice& one = m_all.emplace_back(
            StrategyChoice{.name = name, .config = isCurrent ? m_subject.config : offered, .isCurrent = isCurrent});
        price(one);
        std::optional<std::int64_t> stages;
        if (one.cost) stages = static_cast<std::int64_t>(one.cost->plan.stages());
        one.options = optionsOf(one.config, stages);
    }
    void addCurrentIfMissing() {
        if (std::ranges::none_of(m_all, &StrategyChoice::isCurrent)) add(m_current, m_subject.config);
    }
    std::vector<StrategyChoice> take() { return std::move(m_all); }

  private:
    void price(StrategyChoice& one) const {
        if (const Problems problems = one.config.validateForTraining(); !problems.empty()) {
            one.whyNot = problems.front().text();
            return;
        }
        PlanSubject subject = m_subject;
        subject.config = one.config;
        Result<StrategyCost> cost = costOf(subject, m_rates);
        if (!cost) {
            one.whyNot = cost.problem().text();
            return;
        }
        one.cost = std::move(cost).value();
        one.whyNot = whyTooLarge(*one.cost, one.config);
    }

    const PlanSubject& m_subject;
    const MachineRates& m_rates;
    const std::string m_current;
    std::vector<StrategyChoice> m_all;
};

constexpr std::array kSchedules = {PipelineScheduleKind::kGpipe, PipelineScheduleKind::k1F1B,
                                   PipelineScheduleKind::kInterleaved, PipelineScheduleKind::kZeroBubble};

}  // namespace

std::vector<StrategyChoice> strategyChoices(const PlanSubject& subject, const MachineRates& rates) {
    static_assert(kNamesOf<StrategyKind>.size() == 5, "add choices for the new strategy");
    Choices all(subject, rates);
    const RunConfig& config = subject.config;
    const std::int64_t ranks = config.parallel.worldSize;
    const bool halves = ranks >= 4 && ranks % 2 == 0;
    all.add("ddp", withStrategy(config, StrategyKind::kDdp));
    all.add("data_parallel", withStrategy(config, StrategyKind::kDataParallel));
    for (const ShardedState shard : {ShardedState::kOptimizer, ShardedState::kGradients, ShardedState::kParameters})
        all.add(std::string("fsdp:").append(nameOf(shard)), sharded(config, shard));
    if (halves) {
        RunConfig hybrid = sharded(config, config.fsdp.shard);
        hybrid.mesh.replicate = 2;
        all.add("hsdp", hybrid);
    }
    all.add("model_parallel", withStrategy(config, StrategyKind::kModelParallel));
    for (const PipelineScheduleKind schedule : kSchedules)
        all.add(std::string("pipeline:").append(nameOf(schedule)), pipelined(config, schedule, 0));
    if (halves) all.add("replicas_of_pipelines", pipelined(config, config.pipeline.schedule, 2));
    all.addCurrentIfMissing();
    return all.take();
}

std::string strategyName(const RunConfig& config) {
    const Mesh mesh = meshOf(config);
    switch (config.parallel.strategy) {
        case StrategyKind::kDdp:
        case StrategyKind::kDataParallel:
        case StrategyKind::kModelParallel:
            return textOf(config.parallel.strategy);
        case StrategyKind::kFsdp:
            return mesh.replicate > 1 ? "hsdp" : "fsdp:" + textOf(config.fsdp.shard);
        case StrategyKind::kPipeline:
            break;
    }
    if (!config.pipeline.scheduleFile.empty()) return "own_schedule";
    if (mesh.shard > 1) return "sharded_stages";
    return mesh.replicate > 1 ? "replicas_of_pipelines" : "pipeline:" + textOf(config.pipeline.schedule);
}

}  // namespace ringside
