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
    // Returns the number of the last planned step. Steps are counted from the first step of the first run, also if this
    // run resumes from a checkpoint. epochs: number of epochs to train, which a control command can change.
    std::int64_t plannedSteps(std::int64_t epochs) const {
        const std::int64_t most = config.training.maxSteps;
        return most > 0 ? std::max(stepsBefore, std::min(most, stepsOf(epochs))) : stepsOf(epochs);
    }
    std::int64_t plannedSteps() const { return plannedSteps(config.training.epochs); }

    // Returns the number of epochs that are complete when the last planned step is done. The number is less than
    // `epochs`, the number of epochs to train, if training.max_steps ends the run earlier.
    std::int64_t plannedEpochs(std::int64_t epochs) const {
        if (stepsPerEpoch <= 0) return epochs;
        const std::int64_t cut = stepsOf(epochs) - plannedSteps(epochs);
        return epochs - (cut + stepsPerEpoch - 1) / stepsPerEpoch;
    }

    RunConfig config;  // resolved experiment: no automatic choices, absolute paths
    ComputeChoice compute;
    std::string wantedBackend;  // backend as configured, before automatic choices were resolved
    std::string wantedDevice;
    std::int64_t trainingSamples = 0;
    std::int64_t validationSamples = 0;
    std::int64_t stepsPerEpoch = 0;
    // Number of steps that were done before the checkpoint of training.resume was saved; 0 without a checkpoint.
    std::int64_t stepsBefore = 0;
    std::int64_t epochsBefore = 0;
    // Number of steps from the checkpoint to the end of the configured epochs, if training.max_steps is ignored; -1:
    // the run starts without a checkpoint.
    std::int64_t stepsLeft = -1;
    // For each data-parallel rank: hash of the samples that the sampler assigns to the rank in epoch 0.
    std::vector<std::string> planHashes;
    std::shared_ptr<const ClassLabels> classes = {};  // classes of the training samples; null if not needed

  private:
    // Returns the number of the last step of `epochs` epochs, without regard to training.max_steps. Epochs before the
    // checkpoint can have had another number of steps.
    std::int64_t stepsOf(std::int64_t epochs) const {
        if (stepsLeft < 0) return stepsPerEpoch * epochs;
        return stepsBefore + stepsLeft + (epochs - config.training.epochs) * stepsPerEpoch;
    }
};

// Checks a configuration, loads the data to determine its size, and resolves automatic choices and relative paths,
// which refer to baseDirectory. Returns the first problem found. If `all` is not null, adds each problem of the
// configuration itself to it. ranksHere: number of ranks on this computer; 0: all ranks of the run.
Result<PreparedRun> prepareRun(const RunConfig& config, const std::filesystem::path& baseDirectory,
                               Problems* all = nullptr, std::int64_t ranksHere = 0);

// Replaces relative paths in the configuration by absolute paths below baseDirectory.
void resolvePaths(RunConfig& config, const std::filesystem::path& baseDirectory);

}  // namespace ringside
