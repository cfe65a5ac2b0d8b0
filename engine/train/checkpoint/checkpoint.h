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

// Parts of a whole model that a checkpoint stores or restores. Each reference must stay valid during the call.
struct TrainedParts {
    const std::vector<Parameter*>& state;       // all entries of a state_dict: float32 or int64
    const std::vector<Parameter*>& parameters;  // parameters that the optimizer updates
    Optimizer& optimizer;
    Backend& backend;
};

// Writes RUN_DIR/checkpoints/step-00000012/{model.safetensors, optimizer.safetensors, manifest.json} and returns the
// path relative to the run directory. Each file is written atomically, the manifest last: a directory with a manifest
// is complete. Only one tensor at a time is copied to host memory. The function fills in manifest.files. Throws
// IoError.
std::string writeCheckpoint(const std::filesystem::path& runDirectory, CheckpointManifest manifest,
                            const TrainedParts& parts);

// Writes the checkpoint of a model that no rank holds whole. Collective: one rank calls it while all other ranks call
// gatherForCheckpoint(). Returns an empty result and leaves no checkpoint if `mustBeFinite` and a weight is not
// finite.
std::optional<std::string> writeCheckpoint(const std::filesystem::path& runDirectory, CheckpointManifest manifest,
                                           Strategy& strategy, bool mustBeFinite);
// Takes part in the collectives of writeCheckpoint(). Called by the ranks that do not write.
void gatherForCheckpoint(Strategy& strategy);
std::int64_t checkpointBytes(Strategy& strategy, const Model& model);

// Returns the name of the checkpoint of a step in the directory kCheckpointsName: "step-00000012".
std::string checkpointName(std::int64_t step);

// Returns an upper estimate of the size of a checkpoint of these parts on disk, in bytes.
std::int64_t checkpointBytes(const TrainedParts& parts);

// Restores the weights and, if the checkpoint contains it, the optimizer's state. Returns a problem with the name of
// the file and of the tensor if the tensor is missing, does not fit, or has values that are not finite and
// `mustBeFinite` is true.
Result<bool> restoreCheckpoint(const ResumePoint& point, const TrainedParts& parts, bool mustBeFinite);

// Restores the weights and the optimizer's state of a model that no rank holds whole: each rank restores its part.
// Collective.
Result<bool> restoreCheckpoint(const ResumePoint& point, Strategy& strategy, const Model& model, bool mustBeFinite);

// True if every value is a finite number.
bool areFinite(const std::vector<Parameter*>& parameters, Backend& backend);

// Returns the SHA-256 over all parameter values in registration order, in hex. Equal values on all ranks mean that the
// replicas are in sync.
std::string parameterChecksum(const std::vector<Parameter*>& parameters, Backend& backend);
// Returns the checksum of all parameters of the model. Collective.
std::string parameterChecksum(Strategy& strategy);

}  // namespace ringside
