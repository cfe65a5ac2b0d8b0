// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window/session/run_experiment.h"

#include "config/mesh.h"
#include "run/read/recorded_config.h"

namespace ringside {
namespace {

// If the strategy is data_parallel, returns the configuration with one rank per device, because such a run records one
// process with several devices. Returns other configurations unchanged.
RunConfig inRanks(RunConfig config) {
    if (config.parallel.strategy == StrategyKind::kDataParallel) {
        config.parallel.worldSize = devicesOf(config);
        config.parallel.devices = 0;
    }
    return config;
}

}  // namespace

std::optional<RunConfig> experimentOf(const RunStarted& run) {
    const Result<RunConfig> read = RunConfig::parse(run.config, "run");
    if (!read) return {};
    RunConfig config = inRanks(read.value());
    ParallelConfig& parallel = config.parallel;
    parallel.backend = choiceNamed<CollectiveBackend>(run.wantedBackend).value_or(parallel.backend);
    parallel.device = choiceNamed<DeviceChoice>(run.wantedDevice).value_or(parallel.device);
    return config;
}

bool isSameExperiment(const RunConfig& run, const RunConfig& form) {
    RunConfig other = form;
    other.name = run.name;
    other.parallel.backend = run.parallel.backend;
    other.parallel.device = run.parallel.device;
    other.training.resume = run.training.resume;
    return other == run;
}

bool holdsExperiment(const RunPaths& paths, const RunConfig& form) {
    const Result<RunConfig> config = readRecordedConfig(paths);
    return config && isSameExperiment(inRanks(config.value()), form);
}

}  // namespace ringside
