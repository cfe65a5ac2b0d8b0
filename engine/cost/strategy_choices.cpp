// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/text/number_text.h"
#include "cost/memory_limit.h"
#include "cost/strategy_cost.h"

namespace ringside {
namespace {

// The experiment spread anew: meshes and splits by hand were for another strategy.
RunConfig spreadAnew(const RunConfig& config, const std::string& strategy) {
    RunConfig made = config;
    made.parallel.strategy = strategy;
    made.mesh = {};
    made.pipeline.split.clear();
    made.pipeline.scheduleFile.clear();
    if (strategy != "pipeline") made.pipeline.stagesPerRank = 1;
    return made;
}

bool suits(const RunConfig& config, std::int64_t microBatches) {
    RunConfig tried = config;
    tried.pipeline.microBatches = microBatches;
    return tried.validateForTraining().empty();
}

// As configured where that suits, else the nearest number that does; none: as configured, for its problem.
void chooseMicroBatches(RunConfig& config) {
    constexpr std::int64_t kMost = 4096;  // as the setting allows
    const std::int64_t wanted = config.pipeline.microBatches;
    const std::int64_t batch = config.loader.batchSize;
    if (suits(config, wanted)) return;
    for (std::int64_t off = 1; off <= std::min(batch, kMost); ++off) {
        for (const std::int64_t one : {wanted + off, wanted - off}) {
            if (one < 1 || one > std::min(batch, kMost) || batch % one != 0) continue;
            if (!suits(config, one)) continue;
            config.pipeline.microBatches = one;
            return;
        }
    }
}

RunConfig sharded(const RunConfig& config, const char* shard) {
    RunConfig made = spreadAnew(config, "fsdp");
    made.fsdp.shard = shard;
    return made;
}

RunConfig pipelined(const RunConfig& config, const std::string& schedule, std::int64_t replicas) {
    RunConfig made = spreadAnew(config, "pipeline");
    made.pipeline.schedule = schedule;
    made.mesh.replicate = replicas;
    made.pipeline.stagesPerRank = schedule == "interleaved" ? 2 : 1;
    chooseMicroBatches(made);
    return made;
}

std::string counted(std::int64_t count, const std::string& one, const char* plural = "s") {
    return std::to_string(count) + " " + one + (count == 1 ? "" : plural);
}

std::string optionsOf(const RunConfig& config) {
    if (config.parallel.strategy == "data_parallel") return std::to_string(devicesOf(config)) + " devices, one process";
    const Mesh mesh = meshOf(config);
    const std::string replicas = counted(mesh.replicate, "replica");
    if (config.parallel.strategy == "ddp") return replicas;
    if (config.parallel.strategy == "fsdp")
        return (mesh.replicate > 1 ? replicas + " over " : "over ") + counted(mesh.shard, "rank") + ", by " +
               config.fsdp.unit;
    std::string text = counted(mesh.pipeline * stagesPerRank(config), "stage");
    if (config.parallel.strategy == "pipeline")
        text += ", " + counted(config.pipeline.microBatches, "micro-batch", "es");
    return mesh.replicate > 1 ? replicas + " of " + text : text;
}

std::string whyTooLarge(const StrategyCost& cost, const RunConfig& config) {
    if (!isCertainlyOver(cost.largestPeak(), config)) return {};
    return "needs " + mebibytesText(cost.largestPeak()) + " MiB on a rank; parallel.memory_limit_mb allows " +
           plainNumber(config.parallel.memoryLimitMb);
}

class Choices {
  public:
    Choices(const CostSubject& subject, const MachineRates& rates) : m_subject(subject), m_rates(rates) {}

    void add(const std::string& name, const RunConfig& config) {
        StrategyChoice& one = m_all.emplace_back(StrategyChoice{name, optionsOf(config), config});
        const Problems problems = config.validateForTraining();
        if (!problems.empty()) {
            one.whyNot = problems.front().text();
            return;
        }
        CostSubject subject = m_subject;
        subject.config = config;
        Result<StrategyCost> cost = costOf(subject, m_rates);
        if (!cost) {
            one.whyNot = cost.problem().text();
            return;
        }
        one.cost = std::move(cost).value();
        one.whyNot = whyTooLarge(*one.cost, config);
    }
    std::vector<StrategyChoice> take() { return std::move(m_all); }

  private:
    const CostSubject& m_subject;
    const MachineRates& m_rates;
    std::vector<StrategyChoice> m_all;
};

constexpr std::array kSchedules = {"gpipe", "1f1b", "interleaved", "zero_bubble"};

}  // namespace

std::vector<StrategyChoice> strategyChoices(const CostSubject& subject, const MachineRates& rates) {
    Choices all(subject, rates);
    const RunConfig& config = subject.config;
    const std::int64_t ranks = config.parallel.worldSize;
    const bool halves = ranks >= 4 && ranks % 2 == 0;
    all.add("ddp", spreadAnew(config, "ddp"));
    all.add("data_parallel", spreadAnew(config, "data_parallel"));
    for (const char* shard : {"optimizer", "gradients", "parameters"})
        all.add(std::string("fsdp:") + shard, sharded(config, shard));
    if (halves) {
        RunConfig hybrid = sharded(config, "parameters");
        hybrid.mesh.replicate = 2;
        all.add("hsdp", hybrid);
    }
    all.add("model_parallel", spreadAnew(config, "model_parallel"));
    for (const char* schedule : kSchedules)
        all.add(std::string("pipeline:") + schedule, pipelined(config, schedule, 0));
    if (halves) all.add("replicas_of_pipelines", pipelined(config, "1f1b", 2));
    return all.take();
}

std::string strategyName(const RunConfig& config) {
    const Mesh mesh = meshOf(config);
    const std::string& strategy = config.parallel.strategy;
    if (strategy == "fsdp" && mesh.replicate > 1) return "hsdp";
    if (strategy == "fsdp") return "fsdp:" + config.fsdp.shard;
    if (strategy != "pipeline") return strategy;
    if (mesh.shard > 1 || !config.pipeline.scheduleFile.empty()) return {};
    return mesh.replicate > 1 ? "replicas_of_pipelines" : "pipeline:" + config.pipeline.schedule;
}

}  // namespace ringside
