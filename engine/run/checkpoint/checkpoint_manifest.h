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

// Name of the directory in a run directory that contains the checkpoints.
inline constexpr const char* kCheckpointsName = "checkpoints";

// State of the loss scaling for float16, as in torch.cuda.amp.GradScaler.
struct LossScale {
    double scale = 65536;            // factor by which the loss is multiplied
    std::int64_t growthTracker = 0;  // number of consecutive steps with a finite gradient since the scale last changed
    // Total number of steps skipped because the gradient was not finite; the step count of the optimizer does not
    // include them.
    std::int64_t skippedSteps = 0;
};

// Content of manifest.json in a checkpoint directory. The file is written last: a directory that contains manifest.json
// is complete.
struct CheckpointManifest {
    struct File {
        std::string name;
        std::int64_t bytes = 0;
        std::string sha256;
    };

    std::int64_t step = 0;        // number of steps done, including skipped ones
    std::int64_t epochsDone = 0;  // number of complete epochs
    std::string model = {};       // text of Model::describe()
    std::string optimizer = {};   // kind of optimizer: sgd | adam | adamw; empty: the checkpoint contains weights only
    Json sampler = Json::object();
    std::vector<File> files = {};
    std::optional<LossScale> lossScale = {};  // loss scale; set only for float16
    ChannelScale normalize = {};              // image normalization that the weights expect; empty if none

    // State of the epoch in progress. The members have their default values if the checkpoint was saved between two
    // epochs.
    std::int64_t batchesDone = 0;  // number of batches of the epoch done by each rank
    // Sums of the metrics (MetricSums::values()) over all ranks, for the finished batches of the epoch.
    std::array<double, 7> epochSums{};
    // For each data-parallel rank: hash of the samples that the sampler assigns to the rank in this epoch.
    std::vector<std::string> planHashes = {};
    std::vector<ControlChange> changes = {};  // changes that control commands made to the training, up to this step
    // True: the checkpoint was saved because training.checkpoint_seconds had passed; it is deleted when a newer
    // checkpoint is complete.
    bool timed = false;
    bool isInsideEpoch() const { return !planHashes.empty(); }

    Json toJson() const;
    // Reads a manifest. Returns a problem, which names `file`, if a field is missing or invalid.
    static Result<CheckpointManifest> fromJson(const Json& json, const std::string& file);
};

inline constexpr const char* kManifestName = "manifest.json";
inline constexpr const char* kWeightsName = "model.safetensors";
inline constexpr const char* kOptimizerName = "optimizer.safetensors";

}  // namespace ringside
