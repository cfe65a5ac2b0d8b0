// SPDX-License-Identifier: Apache-2.0
#include "run/prepare/prepared_run.h"

#include <algorithm>

#include "config/config_fields.h"
#include "config/mesh.h"
#include "cost/memory_limit.h"
#include "cost/throttle_limit.h"
#include "data/loading/sample_transforms.h"
#include "data/sets/common/dataset.h"
#include "devices/memory_check.h"
#include "model/model_description.h"
#include "plan/strategy_plan.h"
#include "run/prepare/resume_point.h"
#include "sampling/findings/plan_sentences.h"
#include "sampling/plan/epoch_spec.h"

namespace ringside {
namespace {

// Resolves paths, device and backend of an experiment. Returns the problems if the device or backend is not available
// on this host.
Problems resolve(PreparedRun& run, const std::filesystem::path& baseDirectory, const RunConfig& here) {
    resolvePaths(run.config, baseDirectory);
    const ParallelConfig& parallel = run.config.parallel;
    const HostDevices host = parallel.device == DeviceChoice::kCpu ? findHostDevices() : findHostDevicesAndGpus();
    const Problems problems = checkCompute(here, host);
    run.compute = chooseCompute(here, host);
    run.wantedBackend = textOf(parallel.backend);
    run.wantedDevice = textOf(parallel.device);
    run.config.parallel.backend = run.compute.backend;
    run.config.parallel.device = run.compute.device;
    return problems;
}

// Checks that the model can be distributed over the ranks, that the ranks' memory suffices, and that parallel.pace
// keeps the passes of each rank short enough for parallel.timeout_seconds.
Problems checkModel(const RunConfig& resolved, const RunConfig& requested, const RunConfig& here,
                    const DataSplit& data) {
    const Result<PlanSubject> subject = planSubject(resolved, data);
    if (!subject) return {subject.problem()};
    const bool onCpu = resolved.parallel.device == DeviceChoice::kCpu;
    if (onCpu) {
        const Problems tooLarge = checkMemory(subject.value().model, here, findHostDevices());
        if (!tooLarge.empty()) return tooLarge;
    }
    const Result<StrategyPlan> strategy = planStrategy(subject.value());
    if (!strategy) return {strategy.problem()};
    if (const Problems slow = checkThrottleLimit(subject.value()); !slow.empty()) return slow;
    if (!onCpu) return {};
    PlanSubject spread = subject.value();
    spread.config.parallel.worldSize = requested.parallel.worldSize;
    spread.config.parallel.devices = requested.parallel.devices;
    return checkMemoryLimit(spread, strategy.value());
}

}  // namespace

void resolvePaths(RunConfig& config, const std::filesystem::path& baseDirectory) {
    for (const ConfigField& field : configFields()) {
        if (!field.isPath) continue;
        std::string& path = *std::get<std::string*>(field.slot(config));
        if (!path.empty()) path = std::filesystem::absolute(baseDirectory / path).lexically_normal().string();
    }
}

Result<PreparedRun> prepareRun(const RunConfig& config, const std::filesystem::path& baseDirectory, Problems* all,
                               std::int64_t ranksHere) {
    const Problems problems = config.validateForTraining();
    if (all != nullptr) *all = problems;
    if (!problems.empty()) return problems.front();

    PreparedRun run;
    run.config = withProcessesAsRanks(config);
    RunConfig here = run.config;
    if (ranksHere > 0) here.parallel.worldSize = ranksHere;
    const Problems unavailable = resolve(run, baseDirectory, here);
    if (!unavailable.empty()) return unavailable.front();
    const Result<DataSplit> data = loadDataset(run.config.dataset, baseDirectory);
    if (!data) return data.problem();
    run.trainingSamples = data.value().training->size();
    run.validationSamples = data.value().validation ? data.value().validation->size() : 0;

    if (const Problems unfit = checkModel(run.config, config, here, data.value()); !unfit.empty()) return unfit.front();
    const Problems untransformable = transformProblems(config.loader, data.value().training->shape());
    if (!untransformable.empty()) return untransformable.front();
    const ShardSpec spec = epochSpec(config, data.value().training, 0);
    run.classes = spec.data;
    if (const Problems reasons = planProblems(spec); !reasons.empty()) return reasons.front();
    const Result<ShardPlan> plan = ShardPlan::make(spec);
    if (!plan) return plan.problem();
    // Converts a number of micro-batches to steps. One step consists of the micro-batches that are accumulated before
    // an update, even if fewer are left at the end of an epoch.
    const auto steps = [perStep = config.training.accumulateSteps](std::int64_t batches) {
        return (batches + perStep - 1) / perStep;
    };
    run.stepsPerEpoch = steps(plan.value().stepsPerEpoch());
    if (!config.training.resume.empty()) {
        const Result<ResumePoint> point = openResumePoint(run.config, data.value().training);
        if (!point) return point.problem();
        const CheckpointManifest& manifest = point.value().manifest;
        run.stepsBefore = manifest.step;
        run.epochsBefore = manifest.epochsDone;
        run.stepsLeft =
            (config.training.epochs - manifest.epochsDone) * run.stepsPerEpoch - steps(manifest.batchesDone);
    }
    for (int rank = 0; rank < config.dataRanks(); ++rank) run.planHashes.push_back(plan.value().hash(rank));
    return run;
}

}  // namespace ringside
