// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "nn/model.h"

namespace ringside {

struct CheckpointInfo {
    std::int64_t step = 0;
    std::int64_t epochsDone = 0;
    std::string model;  // Model::describe()
};

// Writes RUN_DIR/checkpoints/step-00000012/{model.safetensors, manifest.json}, each atomically, the manifest last: a
// directory with a manifest is complete. Returns the path relative to the run directory. Throws IoError.
std::string writeCheckpoint(const std::filesystem::path& runDirectory, const CheckpointInfo& info,
                            const std::vector<Parameter*>& parameters, Backend& backend);

// SHA-256 over all parameter values in registration order, in hex: equal on all ranks means replicas in sync.
std::string parameterChecksum(const std::vector<Parameter*>& parameters, Backend& backend);

}  // namespace ringside
