// SPDX-License-Identifier: Apache-2.0
#include "run/prepare/resume_point.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/system/files.h"
#include "config/optimizer_state.h"
#include "data/sets/common/dataset_identity.h"
#include "run/checkpoint/checkpoint_manifest.h"
#include "sampling/plan/epoch_spec.h"

namespace ringside {
namespace {

using std::filesystem::path;

constexpr const char* kField = "training.resume";

Result<SafetensorsFile> readTensors(const path& name, const CheckpointManifest& manifest) {
    Result<SafetensorsFile> file = SafetensorsFile::open(name);
    const auto listed = std::ranges::find(manifest.files, name.filename().string(), &CheckpointManifest::File::name);
    if (!file || listed == manifest.files.end()) return file;
    const auto bytes = static_cast<std::int64_t>(file.value().size());
    if (bytes != listed->bytes) {
        return Problem{name.string(),
                       "has " + std::to_string(bytes) + " bytes, but had " + std::to_string(listed->bytes) +
                           " when it was written",
                       "choose another checkpoint"};
    }
    if (!listed->sha256.empty() && file.value().sha256() != listed->sha256) {
        return Problem{name.string(), "was changed after it was written: its SHA-256 differs from the manifest",
                       "choose another checkpoint"};
    }
    return file;
}

Result<CheckpointManifest> readManifest(const path& directory) {
    const path file = directory / kManifestName;
    const Result<Json> json = readJsonFile(file);
    if (!json) return json.problem();
    return CheckpointManifest::fromJson(json.value(), file.string());
}

Result<ResumePoint> readPoint(const path& given) {
    ResumePoint point;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(given, ignored)) {
        Result<SafetensorsFile> weights = readTensors(given, {});
        if (!weights) return weights.problem();
        point.directory = given.parent_path();
        point.weightsFile = given;
        point.weights = std::move(weights).value();
        return point;
    }
    const Result<path> directory = findCheckpoint(given);
    if (!directory) return directory.problem();
    point.directory = directory.value();
    Result<CheckpointManifest> manifest = readManifest(point.directory);
    if (!manifest) return manifest.problem();
    point.manifest = std::move(manifest).value();
    point.weightsFile = point.directory / kWeightsName;
    Result<SafetensorsFile> weights = readTensors(point.weightsFile, point.manifest);
    if (!weights) return weights.problem();
    point.weights = std::move(weights).value();
    if (point.isWeightsOnly() || point.manifest.step == 0) return point;
    Result<SafetensorsFile> optimizer = readTensors(point.directory / kOptimizerName, point.manifest);
    if (!optimizer) return optimizer.problem();
    point.optimizer = std::move(optimizer).value();
    return point;
}

// True if a run with this optimizer can continue with the optimizer's state that the manifest describes.
bool suits(const std::string& saved, OptimizerKind now) {
    const std::optional<OptimizerKind> kind = choiceNamed<OptimizerKind>(saved);
    return kind && haveSameState(*kind, now);
}

// Checks that each rank would get the same samples in the same batches as in the earlier run. Only in this case can the
// epoch in progress continue.
std::optional<Problem> checkEpoch(const ResumePoint& point, const RunConfig& config,
                                  const std::shared_ptr<const Dataset>& training) {
    const CheckpointManifest& manifest = point.manifest;
    const Result<ShardPlan> plan = ShardPlan::make(epochSpec(config, training, manifest.epochsDone));
    if (!plan) return plan.problem();
    const auto ranks = static_cast<std::size_t>(plan.value().spec().worldSize);
    bool same = manifest.planHashes.size() == ranks && manifest.batchesDone <= plan.value().stepsPerEpoch();
    for (std::size_t rank = 0; same && rank < ranks; ++rank) {
        same = plan.value().hash(static_cast<int>(rank)) == manifest.planHashes[rank];
    }
    const auto was = [&](const char* key, const Json& now) {
        const auto found = manifest.sampler.find(key);
        return found == manifest.sampler.end() || *found == now;
    };
    same = same && was("batch_size", config.loader.batchSize) &&
           was("accumulate_steps", config.training.accumulateSteps) && was("data_sha256", identityOf(*training));
    if (same) return {};
    return Problem{kField,
                   "is a checkpoint in the middle of epoch " + std::to_string(manifest.epochsDone + 1) +
                       ", whose samples would now be assigned differently",
                   "keep dataset, sampler, loader.batch_size, parallel.world_size and training.accumulate_steps "
                   "unchanged, or use a checkpoint between two epochs"};
}

}  // namespace

Result<path> findCheckpoint(const path& given) {
    std::error_code ignored;
    if (!std::filesystem::exists(given, ignored)) {
        return Problem{kField, "is " + given.string() + ", which does not exist",
                       "name a run directory, a checkpoint in it, or a safetensors file"};
    }
    if (std::filesystem::exists(given / kManifestName, ignored)) return given;
    std::optional<path> newest;
    std::int64_t newestStep = -1;
    for (const auto& entry : std::filesystem::directory_iterator(given / kCheckpointsName, ignored)) {
        const Result<CheckpointManifest> manifest = readManifest(entry.path());
        if (!manifest || manifest.value().step <= newestStep) continue;
        newest = entry.path();
        newestStep = manifest.value().step;
    }
    if (newest) return *newest;
    return Problem{kField, "is " + given.string() + ", which contains no complete checkpoint",
                   "name a run directory, a checkpoint in it, or a safetensors file"};
}

std::vector<ControlChange> readLiveChanges(const path& resumed) {
    const Result<path> directory = findCheckpoint(resumed);
    if (!directory) return {};
    Result<CheckpointManifest> manifest = readManifest(directory.value());
    return manifest ? std::move(manifest).value().changes : std::vector<ControlChange>();
}

bool setsField(const std::vector<std::string>& assignments, std::string_view field) {
    return std::ranges::any_of(assignments, [field](const std::string& assignment) {
        return assignment.starts_with(field) && assignment.substr(field.size()).starts_with('=');
    });
}

namespace {

std::optional<ControlChange> lastChange(const path& resumed, ControlKind kind) {
    const std::vector<ControlChange> changes = readLiveChanges(resumed);
    const auto last = std::find_if(changes.rbegin(), changes.rend(),
                                   [kind](const ControlChange& change) { return change.kind == kind; });
    return last == changes.rend() ? std::nullopt : std::optional(*last);
}

}  // namespace

void changeEpochs(RunConfig& experiment, std::int64_t epochs) {
    if (epochs == experiment.training.epochs) return;
    if (experiment.schedule.kind == RateScheduleKind::kCosine && experiment.schedule.tMax == 0)
        experiment.schedule.tMax = experiment.training.epochs;
    experiment.training.epochs = epochs;
}

void applyLiveChanges(RunConfig& experiment, const path& resumed, const std::vector<std::string>& assignments) {
    if (resumed.empty() || setsField(assignments, "training.epochs")) return;
    if (const auto change = lastChange(resumed, ControlKind::kEpochs))
        changeEpochs(experiment, static_cast<std::int64_t>(change->value));
}

std::optional<Problem> checkLearningRate(const RunConfig& experiment, const path& resumed,
                                         const std::vector<std::string>& assignments) {
    if (!setsField(assignments, "optimizer.lr")) return {};
    const double rate = experiment.scaledLearningRate();
    const auto last = lastChange(resumed, ControlKind::kLearningRate);
    if (!last || last->value == rate) return {};
    const std::string scaled = rate == experiment.optimizer.lr ? "" : fmt::format(" and scaled to {:g}", rate);
    return Problem{
        "optimizer.lr",
        fmt::format("is {:g}{}, but a control command set the learning rate to {:g} before the checkpoint was saved, "
                    "and the resumed run continues with that rate",
                    experiment.optimizer.lr, scaled, last->value),
        "omit optimizer.lr, and change the rate of the resumed run with ringsidectl control RUN_DIR lr VALUE"};
}

Result<ResumePoint> openResumePoint(const RunConfig& config, const std::shared_ptr<const Dataset>& training) {
    Result<ResumePoint> point = readPoint(config.training.resume);
    if (!point) return point.problem();
    const CheckpointManifest& manifest = point.value().manifest;
    if (point.value().isWeightsOnly()) {
        point.value().manifest = {};
        return point;
    }
    if (manifest.epochsDone >= config.training.epochs) {
        return Problem{"training.epochs",
                       "is " + std::to_string(config.training.epochs) + ", and the checkpoint was saved after epoch " +
                           std::to_string(manifest.epochsDone),
                       "raise training.epochs to continue training"};
    }
    if (const std::int64_t most = config.training.maxSteps; most > 0 && manifest.step >= most) {
        return Problem{"training.max_steps",
                       "is " + std::to_string(most) + ", and the checkpoint has trained " +
                           std::to_string(manifest.step) + " steps already",
                       "raise training.max_steps to continue training, or set training.max_steps to 0 for no limit"};
    }
    if (!suits(manifest.optimizer, config.optimizer.kind)) {
        return Problem{
            "optimizer.kind",
            "is " + textOf(config.optimizer.kind) + ", but the checkpoint was written by " + manifest.optimizer,
            "choose " + manifest.optimizer + ", or use the checkpoint's " + kWeightsName + " to load only the weights"};
    }
    if (manifest.isInsideEpoch()) {
        if (const auto problem = checkEpoch(point.value(), config, training)) return *problem;
    }
    return point;
}

}  // namespace ringside
