// SPDX-License-Identifier: Apache-2.0
#include "run/supervise/run_line.h"

#include <chrono>

namespace ringside {

RunStarted runLine(const RunPaths& paths, const PreparedRun& run, std::int64_t nowUs) {
    RunStarted line;
    line.name = run.config.name;
    line.runDirectory = paths.directory.string();
    line.worldSize = static_cast<int>(run.config.parallel.worldSize);
    line.backend = textOf(run.compute.backend);
    line.whyBackend = run.compute.whyBackend;
    line.device = textOf(run.compute.device);
    line.whyDevice = run.compute.whyDevice;
    line.wantedBackend = run.wantedBackend;
    line.wantedDevice = run.wantedDevice;
    line.trainingSamples = run.trainingSamples;
    line.validationSamples = run.validationSamples;
    line.stepsPerEpoch = run.stepsPerEpoch;
    line.epochs = run.config.training.epochs;
    line.batchSize = run.config.loader.batchSize;
    line.stepsBefore = run.stepsBefore;
    line.startedUnixMs =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
            .count() -
        nowUs / 1000;
    line.config = run.config.toText();
    return line;
}

}  // namespace ringside
