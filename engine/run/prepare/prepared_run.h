// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/errors/result.h"
#include "config/run_config.h"
#include "devices/compute_choice.h"

namespace ringside {

class ClassLabels;

// Checked and resolved run that is ready to start.
struct PreparedRun {
    // Returns the number of the last planned step, counted from the first step of the original run.
    std::int64_t plannedSteps() const {
        return stepsLeft < 0 ? stepsPerEpoch * config.training.epochs : stepsBefore + stepsLeft;
    }
    // Returns the number of the last planned step if a control command changes the number of epochs to `epochs`.
    std::int64_t plannedSteps(std::int64_t epochs) const {
        const std::int64_t all = plannedSteps() + stepsCut + (epochs - config.training.epochs) * stepsPerEpoch;
        const std::int64_t most = config.training.maxSteps;
        return most > 0 ? std::max(stepsBefore, std::min(most, all)) : all;
    }

    // Returns the number of complete epochs after the last planned step, if the run is to train `epochs` epochs. The
    // number is less than `epochs` if training.max_steps ends the run earlier.
    std::int64_t plannedEpochs(std::int64_t epochs) const {
        const bool isCut = config.training.maxSteps > 0 && stepsPerEpoch > 0;
        return isCut ? std::min(epochs, plannedSteps(epochs) / stepsPerEpoch) : epochs;
    }

    RunConfig config;  // resolved experiment: no automatic choices, absolute paths
    ComputeChoice compute;
    std::string wantedBackend;  // backend as configured, before automatic choices were resolved
    std::string wantedDevice;
    std::int64_t trainingSamples = 0;
    std::int64_t validationSamples = 0;
    std::int64_t stepsPerEpoch = 0;
    std::int64_t stepsBefore = 0;  // number of steps done by the checkpoint of training.resume
    std::int64_t epochsBefore = 0;
    std::int64_t stepsLeft = -1;  // number of steps to train after the first stepsBefore steps; -1: all steps of all
                                  // epochs
    std::int64_t stepsCut = 0;    // number of steps of the configured epochs that training.max_steps removes from
                                  // stepsLeft
    // Hash of the samples that the sampler assigns in epoch 0, by data-parallel rank.
    std::vector<std::string> planHashes;
    std::shared_ptr<const ClassLabels> classes = {};  // classes of the training samples; null if not needed
};

// Checks a configuration, loads the data to determine its size, and resolves automatic choices and relative paths,
// which refer to baseDirectory. Returns the first problem found. If `all` is not null, adds each problem of the
// configuration itself to it. ranksHere: number of ranks on this host; 0: all.
Result<PreparedRun> prepareRun(const RunConfig& config, const std::filesystem::path& baseDirectory,
                               Problems* all = nullptr, std::int64_t ranksHere = 0);

// Replaces relative paths in the configuration by absolute paths below baseDirectory.
void resolvePaths(RunConfig& config, const std::filesystem::path& baseDirectory);

}  // namespace ringside
