// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/run_config.h"
#include "data/sets/common/dataset.h"
#include "run/checkpoint/checkpoint_manifest.h"
#include "run/checkpoint/safetensors.h"

namespace ringside {

// Checkpoint or weights that training.resume refers to. Its files have been read and checked, except for the check that
// they fit the model.
struct ResumePoint {
    std::filesystem::path directory;    // directory of the checkpoint or of the weights file
    std::filesystem::path weightsFile;  // file from which `weights` was read
    CheckpointManifest manifest;        // manifest of the checkpoint; all counts are zero for a file with weights only
    SafetensorsFile weights;
    // State of the optimizer; empty if there are weights only, or if no step was done before the checkpoint.
    std::optional<SafetensorsFile> optimizer;

    bool isWeightsOnly() const { return manifest.optimizer.empty(); }
};

// Opens the checkpoint of training.resume. This path is one of: a checkpoint directory; a run directory, whose newest
// complete checkpoint is used; a safetensors file with weights only, from which training starts at step 1. Returns a
// problem if: there is no checkpoint; a file has changed; all epochs or all steps of training.max_steps are done; the
// optimizer differs; or the samples of the epoch in progress would now be assigned differently.
Result<ResumePoint> openResumePoint(const RunConfig& config, const std::shared_ptr<const Dataset>& training);

// Returns the changes that control commands made to a run before its checkpoint `resumed` was saved. Empty if there are
// no changes or the checkpoint cannot be read.
std::vector<ControlChange> readLiveChanges(const std::filesystem::path& resumed);

// Name of an environment variable of restarted ranks: the number of epochs that a control command has set before the
// restart.
inline constexpr const char* kEpochsVariable = "RINGSIDE_EPOCHS";

// Sets the number of epochs as a control command does: the period of a cosine schedule keeps its planned length.
void changeEpochs(RunConfig& experiment, std::int64_t epochs);

// True if one of `assignments` (the options --set) gives a value to the field, such as "training.epochs".
bool setsField(const std::vector<std::string>& assignments, std::string_view field);

// Sets training.epochs of `experiment` to the number that a control command set before the checkpoint `resumed` was
// saved. Changes nothing if there was no such command, or if one of `assignments` (the options --set) sets
// training.epochs. Does not change the learning rate, which the trainer itself restores.
void applyLiveChanges(RunConfig& experiment, const std::filesystem::path& resumed,
                      const std::vector<std::string>& assignments);

// Returns a problem if one of `assignments` (the options --set) gives a learning rate that has no effect, because a
// control command changed the rate before the checkpoint `resumed` was saved. experiment: experiment to which the
// assignments were applied.
std::optional<Problem> checkLearningRate(const RunConfig& experiment, const std::filesystem::path& resumed,
                                         const std::vector<std::string>& assignments);

// Returns the checkpoint directory to use if `path` is a checkpoint or a run directory; a problem if it contains no
// checkpoint.
Result<std::filesystem::path> findCheckpoint(const std::filesystem::path& path);

}  // namespace ringside
