// SPDX-License-Identifier: Apache-2.0
#include "run/record/recorded_run.h"

#include "config/leaves.h"
#include "config/mesh.h"

namespace ringside {

RecordedRun recordedRun(const PreparedRun& run) {
    const RunConfig& config = run.config;
    const Mesh mesh = meshOf(config);
    RecordedRun recorded{.name = config.name,
                         .config = config.toText(),
                         .compute = run.compute,
                         .wantedBackend = run.wantedBackend,
                         .wantedDevice = run.wantedDevice,
                         .worldSize = static_cast<int>(config.parallel.worldSize),
                         .pipelineRanks = mesh.pipeline,
                         .trainingSamples = run.trainingSamples,
                         .validationSamples = run.validationSamples,
                         .batchSize = config.loader.batchSize,
                         .stepsPerEpoch = run.stepsPerEpoch,
                         .epochs = config.training.epochs,
                         .stepsBefore = run.stepsBefore,
                         .logEvery = config.training.logEvery,
                         .paddedValidation = config.training.validate == ValidationMode::kPadded,
                         .limits = config.telemetry,
                         .throttle = config.parallel.throttle,
                         .planHashes = run.planHashes};
    if (!isCanonical(config)) recorded.layout = textOf(config.parallel.strategy) + ", " + mesh.text();
    recorded.audit = PlanWatchOptions{
        .config = config, .datasetSize = run.trainingSamples, .classes = [classes = run.classes] { return classes; }};
    return recorded;
}

RunStarted runLine(const RunPaths& paths, const RecordedRun& run, std::int64_t startedUnixMs) {
    RunStarted line;
    line.name = run.name;
    line.runDirectory = paths.directory.string();
    line.worldSize = run.worldSize;
    line.backend = textOf(run.compute.backend);
    line.whyBackend = run.compute.whyBackend;
    line.device = textOf(run.compute.device);
    line.whyDevice = run.compute.whyDevice;
    line.wantedBackend = run.wantedBackend;
    line.wantedDevice = run.wantedDevice;
    line.trainingSamples = run.trainingSamples;
    line.validationSamples = run.validationSamples;
    line.stepsPerEpoch = run.stepsPerEpoch;
    line.epochs = run.epochs;
    line.batchSize = run.batchSize;
    line.stepsBefore = run.stepsBefore;
    line.startedUnixMs = startedUnixMs;
    line.config = run.config;
    return line;
}

}  // namespace ringside
