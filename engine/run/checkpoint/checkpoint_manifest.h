// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/errors/result.h"
#include "base/json/json.h"
#include "data/loading/sample_transforms.h"
#include "run/checkpoint/control_change.h"

namespace ringside {

// As torch.cuda.amp.GradScaler keeps it: the factor of the loss, and the good steps since it last changed. Beside it
// the steps that were left out in all, which the optimizer has not counted.
struct LossScale {
    double scale = 65536;
    std::int64_t growthTracker = 0;
    std::int64_t skippedSteps = 0;
};

// manifest.json of a checkpoint directory, written last: a directory that has one is complete.
struct CheckpointManifest {
    struct File {
        std::string name;
        std::int64_t bytes = 0;
        std::string sha256;
    };

    std::int64_t step = 0;        // done, with those that were left out
    std::int64_t epochsDone = 0;  // whole epochs
    std::string model = {};       // Model::describe()
    std::string optimizer = {};   // sgd | adam | adamw; empty: weights only
    Json sampler = Json::object();
    std::vector<File> files = {};
    std::optional<LossScale> lossScale = {};  // of float16 only
    ChannelScale normalize = {};              // what the weights expect of images; empty: as they are

    // The epoch under way; all empty when the checkpoint lies between two epochs.
    std::int64_t batchesDone = 0;              // of every rank
    std::array<double, 7> epochSums{};         // MetricSums over all ranks
    std::vector<std::string> planHashes = {};  // of that epoch, by rank
    std::vector<ControlChange> changes = {};   // what the run was told up to here
    bool timed = false;                        // training.checkpoint_seconds wanted it: a newer one replaces it
    bool isInsideEpoch() const { return !planHashes.empty(); }

    Json toJson() const;
    // `file` is what problems call it.
    static Result<CheckpointManifest> fromJson(const Json& json, const std::string& file);
};

inline constexpr const char* kManifestName = "manifest.json";
inline constexpr const char* kWeightsName = "model.safetensors";
inline constexpr const char* kOptimizerName = "optimizer.safetensors";

// Lower-case hex of the bytes' SHA-256.
std::string sha256Of(std::string_view bytes);

}  // namespace ringside
