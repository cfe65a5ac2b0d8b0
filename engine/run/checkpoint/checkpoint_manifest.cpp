// SPDX-License-Identifier: Apache-2.0
#include "run/checkpoint/checkpoint_manifest.h"

#include <cmath>
#include <limits>
#include <optional>

#include "base/json/json_members.h"

namespace ringside {
namespace {

constexpr std::int64_t kVersion = 1;

Problem brokenManifest(const std::string& file, const std::string& what) {
    return {file, what, "choose another checkpoint"};
}

// Returns the member `key` as an integer that is not negative; 0 if the member is missing, empty if it is of another
// type or negative.
std::optional<std::int64_t> countOf(const Json& json, const char* key) {
    if (findMember(json, key) == nullptr) return 0;
    const std::optional<std::int64_t> count = integerIn(json, key);
    return count && *count >= 0 ? count : std::nullopt;
}

Json sumsJson(const std::array<double, 7>& sums) {
    Json json = Json::array();
    for (const double sum : sums) json.push_back(std::isfinite(sum) ? Json(sum) : Json(nullptr));
    return json;
}

// Reads the state of the epoch in progress into `manifest`. Returns false if a member is missing or invalid.
bool readEpoch(const Json& json, CheckpointManifest& manifest) {
    const auto done = countOf(json, "batches_done");
    const auto sums = json.find("sums");
    const auto hashes = json.find("plan_hashes");
    if (!done || sums == json.end() || !sums->is_array() || sums->size() != manifest.epochSums.size() ||
        hashes == json.end() || !hashes->is_array() || hashes->empty()) {
        return false;
    }
    manifest.batchesDone = *done;
    for (std::size_t i = 0; i < manifest.epochSums.size(); ++i) {
        const Json& sum = (*sums)[i];
        manifest.epochSums[i] = sum.is_number() ? sum.get<double>() : std::numeric_limits<double>::quiet_NaN();
    }
    for (const Json& hash : *hashes) {
        if (!hash.is_string()) return false;
        manifest.planHashes.push_back(hash.get<std::string>());
    }
    return true;
}

bool readLossScale(const Json& json, CheckpointManifest& manifest) {
    const auto scale = json.is_object() ? json.find("scale") : json.end();
    if (scale == json.end() || !scale->is_number() || !(scale->get<double>() > 0)) return false;
    const auto tracker = countOf(json, "growth_tracker");
    if (!tracker) return false;
    manifest.lossScale = LossScale{scale->get<double>(), *tracker};
    if (json.contains("skipped_steps")) {  // manifests of the first versions of Ringside have no field skipped_steps
        const auto skipped = countOf(json, "skipped_steps");
        if (!skipped || *skipped > manifest.step) return false;
        manifest.lossScale->skippedSteps = *skipped;
    }
    return std::isfinite(manifest.lossScale->scale);
}

bool readNumbers(const Json& json, const char* key, std::vector<float>& numbers) {
    const auto found = json.is_object() ? json.find(key) : json.end();
    if (found == json.end() || !found->is_array() || found->empty()) return false;
    for (const Json& one : *found) {
        if (!one.is_number()) return false;
        numbers.push_back(one.get<float>());
    }
    return true;
}

bool readScale(const Json& json, ChannelScale& scale) {
    return readNumbers(json, "mean", scale.mean) && readNumbers(json, "deviation", scale.deviation) &&
           scale.mean.size() == scale.deviation.size();
}

bool readFiles(const Json& json, CheckpointManifest& manifest) {
    if (!json.is_array()) return false;
    for (const Json& one : json) {
        const auto bytes = one.is_object() ? countOf(one, "bytes") : std::nullopt;
        if (!bytes) return false;
        manifest.files.push_back({stringIn(one, "name"), *bytes, stringIn(one, "sha256")});
    }
    return true;
}

// Reads the changes that control commands made to the training. Returns false if a change is invalid or later than the
// checkpoint.
bool readChanges(const Json& json, CheckpointManifest& manifest) {
    if (!json.is_array()) return false;
    for (const Json& one : json) {
        if (!one.is_object()) return false;
        const auto step = countOf(one, "step");
        const auto epoch = countOf(one, "epoch");
        const auto value = one.find("value");
        const auto kind = choiceNamed<ControlKind>(stringIn(one, "kind"));
        const bool known = kind == ControlKind::kLearningRate || kind == ControlKind::kEpochs;
        if (!known || !step || !epoch || value == one.end() || !value->is_number()) return false;
        ControlChange change{.kind = *kind};
        change.value = value->get<double>();
        change.step = *step;
        change.epoch = *epoch;
        if (!(change.value >= 0) || !std::isfinite(change.value)) return false;
        if (change.step > manifest.step || change.epoch > manifest.epochsDone) return false;
        manifest.changes.push_back(std::move(change));
    }
    return true;
}

}  // namespace

Json CheckpointManifest::toJson() const {
    Json json = {{"version", kVersion},
                 {"step", step},
                 {"epochs_done", epochsDone},
                 {"model", model},
                 {"optimizer", optimizer.empty() ? Json(nullptr) : Json(optimizer)},
                 {"sampler", sampler}};
    if (isInsideEpoch()) {
        json["epoch"] = {{"batches_done", batchesDone}, {"sums", sumsJson(epochSums)}, {"plan_hashes", planHashes}};
    }
    if (lossScale) {
        json["loss_scale"] = {{"scale", lossScale->scale},
                              {"growth_tracker", lossScale->growthTracker},
                              {"skipped_steps", lossScale->skippedSteps}};
    }
    if (!normalize.mean.empty()) json["normalize"] = {{"mean", normalize.mean}, {"deviation", normalize.deviation}};
    for (const ControlChange& change : changes) {
        json["control"].push_back(
            {{"kind", nameOf(change.kind)}, {"value", change.value}, {"step", change.step}, {"epoch", change.epoch}});
    }
    if (timed) json["timed"] = true;
    json["files"] = Json::array();
    for (const File& file : files) {
        json["files"].push_back({{"name", file.name}, {"bytes", file.bytes}, {"sha256", file.sha256}});
    }
    return json;
}

Result<CheckpointManifest> CheckpointManifest::fromJson(const Json& json, const std::string& file) {
    if (!json.is_object()) return brokenManifest(file, "is not a JSON object");
    const auto version = countOf(json, "version");
    if (version != kVersion) return brokenManifest(file, "has an unknown version; this program reads version 1");
    CheckpointManifest manifest;
    const auto step = countOf(json, "step");
    const auto epochs = countOf(json, "epochs_done");
    if (!step || !epochs)
        return brokenManifest(file,
                              "has a value of \"step\" or \"epochs_done\" that is not a whole number of at "
                              "least 0");
    manifest.step = *step;
    manifest.epochsDone = *epochs;
    manifest.model = stringIn(json, "model");
    manifest.optimizer = stringIn(json, "optimizer");
    const auto timed = json.find("timed");
    manifest.timed = timed != json.end() && *timed == true;
    if (const auto sampler = json.find("sampler"); sampler != json.end()) manifest.sampler = *sampler;
    if (const auto epoch = json.find("epoch"); epoch != json.end() && !readEpoch(*epoch, manifest)) {
        return brokenManifest(file, "has invalid values in \"epoch\"");
    }
    if (const auto scale = json.find("loss_scale"); scale != json.end() && !readLossScale(*scale, manifest)) {
        return brokenManifest(file, "has an invalid value of \"loss_scale\"");
    }
    if (const auto scale = json.find("normalize"); scale != json.end() && !readScale(*scale, manifest.normalize)) {
        return brokenManifest(file, "has an invalid value of \"normalize\"");
    }
    if (const auto changes = json.find("control"); changes != json.end() && !readChanges(*changes, manifest)) {
        return brokenManifest(file, "has an invalid list \"control\"");
    }
    if (const auto files = json.find("files"); files != json.end() && !readFiles(*files, manifest)) {
        return brokenManifest(file, "has an invalid list \"files\"");
    }
    return manifest;
}

}  // namespace ringside
