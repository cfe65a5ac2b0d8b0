// SPDX-License-Identifier: Apache-2.0
#include "watch/audit/planned_audit.h"

#include <optional>
#include <string>

#include "config/run_config.h"
#include "run/record/plan_watch.h"
#include "sampling/plan/epoch_spec.h"
#include "sampling/plan/shard_plan.h"
#include "watch/audit/sample_counts.h"

namespace ringside {
namespace {

// largest number of samples in all epochs of a plan that is counted, which takes some seconds; larger plans are not
// counted
constexpr std::int64_t kLargestWork = 400'000'000;

// Hash of the samples that each rank has trained in one epoch, by rank.
using EpochHashes = std::map<int, const Consumed*>;

// Returns the lowest rank whose reported hash of trained samples differs from the hash of its planned samples; -1 if
// none differs.
int firstOtherRank(const ShardPlan& plan, const EpochHashes& hashes) {
    for (const auto& [rank, consumed] : hashes) {
        if (trainedHash(plan, rank) != consumed->sha256) return rank;
    }
    return -1;
}

void countPlan(EpochAudit& result, const ShardPlan& plan, int worldSize) {
    SampleCounts counts;
    for (int rank = 0; rank < worldSize; ++rank) {
        for (std::int64_t slot = 0; slot < plan.trainedOf(rank); ++slot) counts.add(plan.index(rank, slot), rank);
    }
    result.distinct = counts.distinct();
    result.twice = counts.repeated();
    result.shared = counts.shared();
    result.size = plan.spec().datasetSize;
    result.never = *result.size - counts.distinct();
    result.isFinished = true;
    const std::int64_t repeated = counts.assigned() - counts.distinct();
    const ShardSpec& spec = plan.spec();
    // isByRule stays false: double sharding is a mistake, not a rule of the sampler
    if (spec.pitfalls.doubleSharding) {
        result.why = "pitfalls.double_sharding divides the samples among the ranks twice";
        return;
    }
    if (repeated > 0 && repeated == plan.padding() && result.never == 0)
        result.why = isReplicated(spec.kind) ? "each rank trains on all samples, because sampler.kind " +
                                                   std::string(samplerName(spec.kind)) + " does not divide them"
                                             : "the sampler repeats " + std::to_string(repeated) +
                                                   " so that each rank gets " + std::to_string(plan.samplesPerRank());
    if (spec.kind == SamplerKind::kSubset && repeated == plan.padding() && result.never.value_or(0) > 0)
        result.why = "sampler.kind subset uses a part of the samples";
    else if (repeated == 0 && result.never.value_or(0) > 0)
        result.why = plan.droppedByLoader() > 0 ? "drop_last leaves out the missing samples"
                                                : "the sampler leaves out the missing samples";
    result.isByRule = !result.why.empty();
}

EpochAudit auditEpoch(const RunConfig& config, std::int64_t size, std::int64_t epoch, const EpochHashes& hashes,
                      bool counts) {
    EpochAudit result{.epoch = epoch};
    for (const auto& [rank, consumed] : hashes) {
        result.ranks.push_back({rank, consumed->count});
        result.assigned += consumed->count;
    }
    const auto ranks = static_cast<int>(config.dataRanks());
    if (static_cast<int>(hashes.size()) < ranks) {
        result.why = "not every rank has finished the epoch";
        return result;
    }
    result.isFinished = true;
    if (!counts || needsClasses(config.sampler.kind)) {
        result.why = counts ? "the plan of this sampler depends on the class labels of the samples"
                            : "not counted: the plans of all epochs together are too large";
        return result;
    }
    const Result<ShardPlan> plan = ShardPlan::make(epochSpec(config, size, epoch));
    if (!plan) {
        result.why = plan.problem().text();
        return result;
    }
    if (const int other = firstOtherRank(plan.value(), hashes); other >= 0) {
        result.why = "rank " + std::to_string(other) + " trained on other samples than planned";
        return result;
    }
    countPlan(result, plan.value(), ranks);
    return result;
}

}  // namespace

Result<SampleAudit> auditByPlan(const RunStarted& started, const std::vector<Consumed>& hashes) {
    Problems problems;
    const Result<RunConfig> config = RunConfig::parse(started.config, "the run's experiment", &problems);
    if (!config) return config.problem();
    std::map<std::int64_t, EpochHashes> epochs;
    for (const Consumed& one : hashes) {
        if (one.rank < config.value().dataRanks()) epochs[one.epoch][one.rank] = &one;
    }
    SampleAudit result;
    std::int64_t work = 0;
    for (const auto& [epoch, ranks] : epochs) {
        work += started.trainingSamples;
        result.training.push_back(
            auditEpoch(config.value(), started.trainingSamples, epoch, ranks, work <= kLargestWork));
    }
    return result;
}

}  // namespace ringside
