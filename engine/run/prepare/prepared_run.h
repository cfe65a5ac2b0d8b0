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

// A run that can start: everything about it that is known before the first process is.
struct PreparedRun {
    // The number of the last step when all epochs are done.
    std::int64_t plannedSteps() const {
        return stepsLeft < 0 ? stepsPerEpoch * config.training.epochs : stepsBefore + stepsLeft;
    }

    // Whole epochs that are done by then: fewer than configured where training.max_steps comes first.
    std::int64_t plannedEpochs() const {
        const bool isCut = config.training.maxSteps > 0 && stepsPerEpoch > 0;
        return isCut ? std::min(config.training.epochs, plannedSteps() / stepsPerEpoch) : config.training.epochs;
    }

    RunConfig config;  // resolved: no `auto`, absolute paths
    ComputeChoice compute;
    std::string wantedBackend;  // before `auto` was resolved
    std::string wantedDevice;
    std::int64_t trainingSamples = 0;
    std::int64_t validationSamples = 0;
    std::int64_t stepsPerEpoch = 0;
    std::int64_t stepsBefore = 0;  // done by what training.resume names
    std::int64_t epochsBefore = 0;
    std::int64_t stepsLeft = -1;                      // after those; -1: all of all epochs
    std::vector<std::string> planHashes;              // by rank, of epoch 0
    std::shared_ptr<const ClassLabels> classes = {};  // of the training samples, for samplers that need them
};

// Checks the configuration, loads the data once to know its size, and resolves what is `auto`. Relative paths start at
// baseDirectory. The problems of the first check that finds any.
// ranksHere: how many of the ranks this host computes; 0: all.
Result<PreparedRun> prepareRun(const RunConfig& config, const std::filesystem::path& baseDirectory,
                               Problems* all = nullptr, std::int64_t ranksHere = 0);

// Relative paths in it, from baseDirectory on.
void resolvePaths(RunConfig& config, const std::filesystem::path& baseDirectory);

}  // namespace ringside
