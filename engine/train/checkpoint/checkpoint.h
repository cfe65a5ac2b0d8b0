// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "nn/models/model.h"
#include "nn/optimizers/optimizer.h"
#include "parallel/strategy/strategy.h"
#include "run/checkpoint/checkpoint_manifest.h"
#include "run/checkpoint/safetensors.h"
#include "run/prepare/resume_point.h"

namespace ringside {

// Tensors and optimizer of a model that a checkpoint stores or restores. Each reference must stay valid during the
// call.
struct TrainedParts {
    // parameters and buffers of the model (the entries of its state_dict): float32 or int64
    const std::vector<Parameter*>& state;
    const std::vector<Parameter*>& parameters;  // parameters that the optimizer updates
    Optimizer& optimizer;
    Backend& backend;
};

// Writes RUN_DIR/checkpoints/step-00000012/{model.safetensors, optimizer.safetensors, manifest.json} and returns the
// path relative to the run directory. Each file is written atomically. The manifest is written last, so that a
// directory with a manifest is complete. Copies only one tensor at a time to host memory. Sets manifest.files. Throws
// IoError.
std::string writeCheckpoint(const std::filesystem::path& runDirectory, CheckpointManifest manifest,
                            const TrainedParts& parts);

// Writes the checkpoint of a model whose parameters are distributed over the ranks. Collective: one rank calls this
// function while all other ranks call gatherForCheckpoint(). If `mustBeFinite` is true and a weight is not finite,
// returns an empty value and leaves no checkpoint.
std::optional<std::string> writeCheckpoint(const std::filesystem::path& runDirectory, CheckpointManifest manifest,
                                           Strategy& strategy, bool mustBeFinite);
// Takes part in the collectives of writeCheckpoint(). Called by the ranks that do not write.
void gatherForCheckpoint(Strategy& strategy);
std::int64_t checkpointBytes(Strategy& strategy, const Model& model);

// Returns the directory name of a step's checkpoint, such as "step-00000012". This directory is inside the directory
// kCheckpointsName.
std::string checkpointName(std::int64_t step);

// Returns an upper bound of the size on disk of a checkpoint with these tensors, in bytes.
std::int64_t checkpointBytes(const TrainedParts& parts);

// Restores the weights and, if the checkpoint contains it, the state of the optimizer. Returns a problem that names the
// file and the tensor if a tensor is missing or has another shape or type. If `mustBeFinite` is true, also returns a
// problem if a value is not finite.
Result<bool> restoreCheckpoint(const ResumePoint& point, const TrainedParts& parts, bool mustBeFinite);

// Restores the weights and the optimizer state of a model whose parameters are distributed over the ranks: each rank
// restores the part that it holds. Collective.
Result<bool> restoreCheckpoint(const ResumePoint& point, Strategy& strategy, const Model& model, bool mustBeFinite);

// True if all values of the parameters are finite numbers.
bool areFinite(const std::vector<Parameter*>& parameters, Backend& backend);

// Returns a SHA-256 hash over the values of all parameters in registration order, in hexadecimal. Replicas are in sync
// if their hashes are equal.
std::string parameterChecksum(const std::vector<Parameter*>& parameters, Backend& backend);
// Returns the SHA-256 hash over the values of all parameters of a model whose parameters are distributed over the
// ranks. Collective.
std::string parameterChecksum(Strategy& strategy);

}  // namespace ringside
