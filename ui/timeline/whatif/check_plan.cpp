// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/whatif/check_plan.h"

#include <algorithm>

namespace ringside {
namespace {

constexpr std::int64_t kCheckSteps = 200;

}  // namespace

Result<RunConfig> checkExperiment(const RunConfig& run, const StepChange& change) {
    RunConfig config = run;
    config.training.resume.clear();
    const std::int64_t wanted = config.training.maxSteps;
    config.training.maxSteps = wanted > 0 ? std::min(wanted, kCheckSteps) : kCheckSteps;
    config.name += "-what-if";
    if (change.changesNothing())
        return Problem{"what-if panel", "has no selected change", "select at least one change"};
    if (change.withoutDelayOf >= 0) {
        const std::string who = "rank " + std::to_string(change.withoutDelayOf);
        if (config.stepPitfalls.slowRank != change.withoutDelayOf)
            return Problem{who, "is not slowed down by a setting, so its delay cannot be removed by Ringside",
                           "only a delay from pitfalls.slow_rank can be removed"};
        config.stepPitfalls.slowRank = -1;
    }
    ThrottleConfig& throttle = config.parallel.throttle;
    if ((change.bandwidth != 1 && throttle.gbitPerSecond <= 0) || (change.latency != 1 && throttle.latencyUs <= 0))
        return Problem{"links", "belong to this computer and cannot be changed",
                       "only the links of a throttled run can be changed (parallel.pace)"};
    throttle.gbitPerSecond *= change.bandwidth;
    throttle.latencyUs *= change.latency;
    if (change.noOverlap)
        return Problem{"overlap", "cannot be switched off: buckets are always reduced during the backward pass",
                       "use the prediction only"};
    const bool replicas = config.parallel.strategy == StrategyKind::kDdp;
    if (change.bucketMiB > 0) {
        if (!replicas)
            return Problem{"bucket size", "can only be changed with the strategy DDP", "choose parallel.strategy ddp"};
        config.parallel.bucketCapMb = change.bucketMiB;
        config.parallel.firstBucketMb = std::min(config.parallel.firstBucketMb, change.bucketMiB);
    }
    if (change.worldSize > 0) {
        if (!replicas)
            return Problem{"number of ranks",
                           "cannot be changed without the mesh (the numbers of replicas, shards and stages)",
                           "set them in the experiment form"};
        config.parallel.worldSize = change.worldSize;
    }
    const Problems problems = config.validateForTraining();
    if (!problems.empty()) return problems.front();
    return config;
}

}  // namespace ringside
