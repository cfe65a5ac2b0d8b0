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

// What a checkpoint holds of a rank's model; all of it outlives the call.
struct TrainedParts {
    const std::vector<Parameter*>& state;       // all that a state_dict holds: float32 or int64
    const std::vector<Parameter*>& parameters;  // what the optimizer updates
    Optimizer& optimizer;
    Backend& backend;
};

// Writes RUN_DIR/checkpoints/step-00000012/{model.safetensors, optimizer.safetensors, manifest.json}, each atomically,
// the manifest last: a directory with a manifest is complete. One tensor at a time is in host memory, and goes to its
// range of the file. The manifest's files are filled in. Returns the path relative to the run directory. Throws
// IoError.
std::string writeCheckpoint(const std::filesystem::path& runDirectory, CheckpointManifest manifest,
                            const TrainedParts& parts);

// The same of a model that no rank holds whole. Every rank calls it at the same time, only who `writes` does. Nothing
// is left of weights that `mustBeFinite` and are not: the result is empty.
std::optional<std::string> writeCheckpoint(const std::filesystem::path& runDirectory, CheckpointManifest manifest,
                                           Strategy& strategy, bool mustBeFinite);
// What the ranks that do not write do meanwhile.
void gatherForCheckpoint(Strategy& strategy);
std::int64_t checkpointBytes(const Strategy& strategy, const Model& model);

// Where in a run directory its checkpoints lie, and what writeCheckpoint() calls the one of that step: "step-00000012".
inline constexpr const char* kCheckpointsName = "checkpoints";
std::string checkpointName(std::int64_t step);

// Bytes on the disk that such a checkpoint takes, or a little less.
std::int64_t checkpointBytes(const TrainedParts& parts);

// Restores the weights and, where the checkpoint has more than weights, the optimizer's state. The problem names the
// file and the tensor that is missing, does not fit, or has values that `mustBeFinite` and are not.
Result<bool> restoreCheckpoint(const ResumePoint& point, const TrainedParts& parts, bool mustBeFinite);

// The same for a model that no rank holds whole: each takes its part.
Result<bool> restoreCheckpoint(const ResumePoint& point, Strategy& strategy, const Model& model, bool mustBeFinite);

// Whether every value is a finite number.
bool areFinite(const std::vector<Parameter*>& parameters, Backend& backend);

// SHA-256 over all parameter values in registration order, in hex: equal on all ranks means replicas in sync.
std::string parameterChecksum(const std::vector<Parameter*>& parameters, Backend& backend);
std::string parameterChecksum(Strategy& strategy);  // every rank calls it at the same time

}  // namespace ringside
