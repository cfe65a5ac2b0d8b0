// SPDX-License-Identifier: Apache-2.0
#include "train/checkpoint.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <optional>
#include <system_error>

#include "backend/backend.h"
#include "base/files.h"
#include "base/sha256.h"

namespace ringside {

namespace {

constexpr std::size_t kNamesShown = 3;

std::string directoryName(std::int64_t step) {
    std::array<char, 40> name{};
    std::snprintf(name.data(), name.size(), "step-%08lld", static_cast<long long>(step));
    return name.data();
}

const char* typeName(const Tensor& tensor) {
    return tensor.type == DType::kInt64 ? "I64" : "F32";
}

StoredTensor stored(std::string name, const Shape& shape, const Tensor& value, Backend& backend) {
    StoredTensor tensor{
        .name = std::move(name), .type = typeName(value), .shape = {shape.sizes().begin(), shape.sizes().end()}};
    tensor.bytes.resize(value.bytes());
    backend.download(value, tensor.bytes.data());
    return tensor;
}

std::string weightsFile(const TrainedParts& parts, std::int64_t step) {
    std::vector<StoredTensor> tensors;
    for (const Parameter* one : parts.state)
        tensors.push_back(stored(one->name, one->shape, one->value, parts.backend));
    return encodeSafetensors(std::move(tensors), {{"format", "pt"}, {"step", std::to_string(step)}});
}

// As in PyTorch's flattened optimizer state_dict: "state.0.weight.exp_avg".
std::string stateName(const Parameter& parameter, const char* name) {
    return "state." + parameter.name + "." + name;
}

std::string optimizerFile(const TrainedParts& parts) {
    std::vector<StoredTensor> tensors;
    for (const OptimizerTensor& one : parts.optimizer.state()) {
        const Parameter& parameter = *parts.parameters[one.parameter];
        tensors.push_back(stored(stateName(parameter, one.name), parameter.shape, one.value, parts.backend));
    }
    if (parts.optimizer.countsSteps()) {
        const auto steps =
            static_cast<float>(parts.optimizer.progress().updates);  // a float tensor, as torch.optim.Adam has
        for (const Parameter* one : parts.parameters)
            tensors.push_back({.name = stateName(*one, "step"),
                               .bytes = std::string(reinterpret_cast<const char*>(&steps), sizeof steps)});
    }
    return encodeSafetensors(std::move(tensors), {{"format", "pt"}});
}

void writeListed(const std::filesystem::path& directory, const char* name, const std::string& content,
                 CheckpointManifest& manifest) {
    writeFileAtomically(directory / name, content);
    manifest.files.push_back({name, static_cast<std::int64_t>(content.size()), sha256Of(content)});
}

std::string namesIn(const SafetensorsFile& file) {
    std::string text;
    std::size_t shown = 0;
    for (const auto& [name, entry] : file.entries()) {
        if (shown == kNamesShown) return text + ", ...";
        text += (shown++ > 0 ? ", " : "") + name.substr(0, 80);
    }
    return text.empty() ? "no tensor" : text;
}

std::string shapeText(const std::vector<std::int64_t>& shape) {
    std::string text;
    for (const std::int64_t size : shape) text += (text.empty() ? "" : ", ") + std::to_string(size);
    return "(" + text + ")";
}

// One tensor of the file goes into a tensor of ours of the same shape.
std::optional<Problem> restore(const SafetensorsFile& file, const std::string& fileName, const std::string& name,
                               const Shape& shape, const Tensor& into, Backend& backend) {
    const SafetensorsFile::Entry* entry = file.find(name);
    if (entry == nullptr)
        return Problem{fileName, "has no tensor " + name + "; it has " + namesIn(file),
                       "choose a checkpoint of the same model"};
    if (entry->type != typeName(into))
        return Problem{fileName, "has " + name + " as " + entry->type + "; here it is " + typeName(into),
                       "save it with that type"};
    if (!std::ranges::equal(entry->shape, shape.sizes()))
        return Problem{
            fileName,
            "has " + name + " with shape " + shapeText(entry->shape) + "; the model's has shape " + shape.text(),
            "choose a checkpoint of the same model for as many features and classes"};
    backend.upload(file.bytes(*entry).data(), into);
    return {};
}

// Adam's count is a float in the file; beyond 2^24 only the manifest has it exactly.
std::int64_t stepsOf(const ResumePoint& point, const Parameter& first) {
    const SafetensorsFile::Entry* entry = point.optimizer->find(stateName(first, "step"));
    if (entry == nullptr || entry->type != "F32" || entry->size != sizeof(float)) return point.manifest.step;
    float steps = 0;
    std::memcpy(&steps, point.optimizer->bytes(*entry).data(), sizeof steps);
    if (steps == static_cast<float>(point.manifest.step)) return point.manifest.step;
    return steps >= 0 && steps < 1e9F ? static_cast<std::int64_t>(steps) : point.manifest.step;
}

UpdateState progressAt(const ResumePoint& point, const TrainedParts& parts) {
    UpdateState progress = parts.optimizer.progress();
    if (const auto& scale = point.manifest.lossScale) {
        progress.skippedSteps = scale->skippedSteps;
        progress.goodSteps = scale->growthTracker;
        if (parts.optimizer.rules().scalesLoss) progress.lossScale = scale->scale;
    }
    const bool counts = parts.optimizer.countsSteps() && !parts.parameters.empty();
    progress.updates = counts ? stepsOf(point, *parts.parameters.front()) : point.manifest.step - progress.skippedSteps;
    return progress;
}

}  // namespace

std::string writeCheckpoint(const std::filesystem::path& runDirectory, CheckpointManifest manifest,
                            const TrainedParts& parts) {
    const std::filesystem::path relative = std::filesystem::path("checkpoints") / directoryName(manifest.step);
    const std::filesystem::path directory = runDirectory / relative;
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    if (error)
        throw IoError("the checkpoint directory " + directory.string() + " could not be made: " + error.message());
    writeListed(directory, kWeightsName, weightsFile(parts, manifest.step), manifest);
    writeListed(directory, kOptimizerName, optimizerFile(parts), manifest);
    writeFileAtomically(directory / kManifestName, manifest.toJson().dump(2) + "\n");
    return relative.string();
}

std::int64_t checkpointBytes(const TrainedParts& parts) {
    constexpr std::int64_t kHeaders = 64 << 10;  // names, shapes and the manifest
    constexpr std::int64_t kPerTensor = 256;
    std::int64_t bytes = kHeaders;
    const auto add = [&bytes](const Tensor& tensor) {
        bytes += static_cast<std::int64_t>(tensor.bytes()) + kPerTensor;
    };
    for (const Parameter* one : parts.state) add(one->value);
    for (const OptimizerTensor& one : parts.optimizer.state()) add(one.value);
    return bytes;
}

Result<bool> restoreCheckpoint(const ResumePoint& point, const TrainedParts& parts) {
    const std::string weights = (point.directory / kWeightsName).string();
    for (const Parameter* one : parts.state) {
        const auto problem = restore(point.weights, weights, one->name, one->shape, one->value, parts.backend);
        if (problem) return *problem;
    }
    if (point.weights.entries().size() != parts.state.size())
        return Problem{weights,
                       "has " + std::to_string(point.weights.entries().size()) + " tensors, but the model has " +
                           std::to_string(parts.state.size()),
                       "choose a checkpoint of the same model"};
    if (!point.optimizer) return true;
    const std::string state = (point.directory / kOptimizerName).string();
    for (const OptimizerTensor& one : parts.optimizer.state()) {
        const Parameter& parameter = *parts.parameters[one.parameter];
        const auto problem =
            restore(*point.optimizer, state, stateName(parameter, one.name), parameter.shape, one.value, parts.backend);
        if (problem) return *problem;
    }
    parts.optimizer.restore(progressAt(point, parts));
    return true;
}

bool areFinite(const std::vector<Parameter*>& parameters, Backend& backend) {
    std::vector<float> values;
    for (const Parameter* parameter : parameters) {
        values.resize(static_cast<std::size_t>(parameter->value.count()));
        backend.download(parameter->value, values.data());
        if (!std::ranges::all_of(values, [](float value) { return std::isfinite(value); })) return false;
    }
    return true;
}

std::string parameterChecksum(const std::vector<Parameter*>& parameters, Backend& backend) {
    Sha256 sum;
    std::vector<std::byte> bytes;
    for (const Parameter* parameter : parameters) {
        bytes.resize(parameter->value.bytes());
        backend.download(parameter->value, bytes.data());
        sum.add(bytes);
    }
    return sum.hex();
}

}  // namespace ringside
