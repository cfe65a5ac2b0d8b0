// SPDX-License-Identifier: Apache-2.0
#include "cost/memory_limit.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/json/json.h"
#include "base/text/number_text.h"
#include "config/config_fields.h"
#include "cost/rank_memory.h"
#include "cost/strategy_cost.h"

namespace ringside {
namespace {

constexpr double kMebibyte = 1 << 20;
constexpr double kUncertain = 1.02;

struct Fullest {
    int rank = 0;
    std::int64_t bytes = 0;
};

// Returns the rank with the largest peak of memory. Checks only the ranks of the first replica, because all replicas
// need equal memory.
Fullest fullestRank(const PlanSubject& subject, const StrategyPlan& plan) {
    Fullest most;
    for (int rank = 0; rank < plan.mesh.ranks(); ++rank) {
        if (RankLayout{plan.mesh, rank}.replicateIndex() > 0) continue;
        const std::int64_t bytes = predictMemory(subject, plan, rank).peak();
        if (bytes > most.bytes) most = {rank, bytes};
    }
    return most;
}

// Returns the settings in which the experiment `to` differs from `from`, with the values of `to`, as text:
// "parallel.strategy to fsdp, fsdp.shard to parameters".
std::string changesText(const RunConfig& from, const RunConfig& to) {
    std::string text;
    for (const ConfigField& field : configFields()) {
        const Json value = fieldValue(field, to);
        if (value == fieldValue(field, from)) continue;
        text += (text.empty() ? "" : ", ") + std::string(field.path) + " to " +
                (value.is_string() ? value.get<std::string>() : value.dump());
    }
    return text;
}

// Returns the strategy that fits into the memory limit and has the smallest peak. Prefers sharded strategies, because
// their steps have the same results as those of the configured strategy.
std::optional<StrategyChoice> bestThatFits(const PlanSubject& subject) {
    const auto order = [](const StrategyChoice& one) {
        return std::pair(one.config.parallel.strategy != StrategyKind::kFsdp, one.cost->largestPeak());
    };
    std::optional<StrategyChoice> best;
    for (StrategyChoice& one : strategyChoices(subject, {})) {
        if (!one.whyNot.empty() || !one.cost) continue;
        if (!best || order(one) < order(*best)) best = std::move(one);
    }
    return best;
}

// Sets the world size to the number of devices of data_parallel, so that other strategies can be compared with it.
PlanSubject withRankForEachDevice(PlanSubject subject) {
    ParallelConfig& parallel = subject.config.parallel;
    if (parallel.strategy == StrategyKind::kDataParallel) parallel.worldSize = devicesOf(subject.config);
    return subject;
}

std::string remedy(const PlanSubject& subject, std::int64_t needed) {
    const std::string raise = "raise the limit to " + mebibytesText(needed);
    if (const std::optional<StrategyChoice> other = bestThatFits(withRankForEachDevice(subject)))
        return raise + ", or set " + changesText(subject.config, other->config) + ", which needs " +
               mebibytesText(other->cost->largestPeak());
    return raise + ", lower loader.batch_size, or spread the parameters over more ranks with parallel.strategy fsdp";
}

}  // namespace

bool isClearlyOverMemoryLimit(std::int64_t bytes, const RunConfig& config) {
    const double limit = config.parallel.memoryLimitMb;
    return limit > 0 && static_cast<double>(bytes) > limit * kMebibyte * kUncertain;
}

std::string mebibytesText(std::int64_t bytes) {
    const int decimals = bytes < (1 << 20) ? 3 : 1;
    const std::int64_t scale = decimals == 3 ? 1000 : 10;
    const std::int64_t parts = (bytes * scale + (1 << 20) - 1) >> 20;
    const std::string rest = std::to_string(parts % scale);
    return std::to_string(parts / scale) + "." + std::string(static_cast<std::size_t>(decimals) - rest.size(), '0') +
           rest;
}

Problems checkMemoryLimit(const PlanSubject& subject, const StrategyPlan& plan) {
    const RunConfig& config = subject.config;
    if (config.parallel.memoryLimitMb <= 0) return {};
    const Fullest fullest = fullestRank(subject, plan);
    if (!isClearlyOverMemoryLimit(fullest.bytes, config)) return {};
    const std::string who = (plan.devices > 0 ? "device " : "rank ") + std::to_string(fullest.rank);
    return {{"parallel.memory_limit_mb",
             "is " + plainNumber(config.parallel.memoryLimitMb) + " MiB, but " + who + " needs " +
                 mebibytesText(fullest.bytes) + " MiB under " + textOf(config.parallel.strategy),
             remedy(subject, fullest.bytes)}};
}

}  // namespace ringside
