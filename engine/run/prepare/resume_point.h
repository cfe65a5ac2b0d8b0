// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/run_config.h"
#include "data/sets/common/dataset.h"
#include "run/checkpoint/checkpoint_manifest.h"
#include "run/checkpoint/safetensors.h"

namespace ringside {

// What training.resume names, read and checked as far as that goes without the model.
struct ResumePoint {
    std::filesystem::path directory;    // of the checkpoint, or of the weights alone
    std::filesystem::path weightsFile;  // that `weights` was read from
    CheckpointManifest manifest;        // all zero for weights alone
    SafetensorsFile weights;
    std::optional<SafetensorsFile> optimizer;  // none for weights alone, and where no step was done yet

    bool isWeightsOnly() const { return manifest.optimizer.empty(); }
};

// A run directory stands for its newest complete checkpoint; a checkpoint's directory for itself; a file for weights
// alone, from which training starts at step 1. Problems: nothing there, a file that is not as it was written, epochs
// that are all done, another optimizer, an epoch under way whose samples would now be dealt otherwise.
Result<ResumePoint> openResumePoint(const RunConfig& config, const std::shared_ptr<const Dataset>& training);

// What a run was told while it ran and its experiment does not say, as assignments for it ("training.epochs=20"): who
// goes on from its checkpoint goes on with that. Empty where nothing was told or nothing can be read.
std::vector<std::string> assignmentsAsTold(const std::filesystem::path& resumed, const RunConfig& experiment);

// The checkpoint's directory for a run or checkpoint directory; a problem when there is none.
Result<std::filesystem::path> findCheckpoint(const std::filesystem::path& path);

}  // namespace ringside
