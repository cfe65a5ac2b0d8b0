// SPDX-License-Identifier: Apache-2.0
#include "train/checkpoint/checkpoint.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <optional>
#include <system_error>

#include "backend/backend.h"
#include "base/crypto/sha256.h"
#include "base/system/files.h"

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

std::vector<StoredTensor> weightTensors(const TrainedParts& parts) {
    std::vector<StoredTensor> tensors;
    for (const Parameter* one : parts.state)
        tensors.push_back(stored(one->name, one->shape, one->value, parts.backend));
    return tensors;
}

// As in PyTorch's flattened optimizer state_dict: "state.0.weight.exp_avg".
std::string stateName(const Parameter& parameter, const char* name) {
    return "state." + parameter.name + "." + name;
}

void addSteps(const Optimizer& optimizer, const std::vector<Parameter*>& parameters,
              std::vector<StoredTensor>& tensors) {
    if (!optimizer.countsSteps()) return;
    const auto steps = static_cast<float>(optimizer.progress().updates);  // a float tensor, as torch.optim.Adam has
    for (const Parameter* one : parameters)
        tensors.push_back({.name = stateName(*one, "step"),
                           .bytes = std::string(reinterpret_cast<const char*>(&steps), sizeof steps)});
}

std::vector<StoredTensor> optimizerTensors(const TrainedParts& parts) {
    std::vector<StoredTensor> tensors;
    for (const OptimizerTensor& one : parts.optimizer.state()) {
        const Parameter& parameter = *parts.parameters[one.parameter];
        tensors.push_back(stored(stateName(parameter, one.name), parameter.shape, one.value, parts.backend));
    }
    addSteps(parts.optimizer, parts.parameters, tensors);
    return tensors;
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

// The bytes of a tensor of the file, when it has one of this type and shape.
Result<std::string> bytesFor(const SafetensorsFile& file, const std::string& fileName, const std::string& name,
                             const Shape& shape, const Tensor& into) {
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
    return file.bytes(*entry);
}

// One tensor of the file goes into a tensor of ours of the same shape.
std::optional<Problem> restore(const SafetensorsFile& file, const std::string& fileName, const std::string& name,
                               const Shape& shape, const Tensor& into, Backend& backend) {
    const Result<std::string> bytes = bytesFor(file, fileName, name, shape, into);
    if (!bytes) return bytes.problem();
    backend.upload(bytes.value().data(), into);
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

UpdateState progressAt(const ResumePoint& point, const Optimizer& optimizer,
                       const std::vector<Parameter*>& parameters) {
    UpdateState progress = optimizer.progress();
    if (const auto& scale = point.manifest.lossScale) {
        progress.skippedSteps = scale->skippedSteps;
        progress.goodSteps = scale->growthTracker;
        if (optimizer.rules().scalesLoss) progress.lossScale = scale->scale;
    }
    const bool counts = optimizer.countsSteps() && !parameters.empty();
    progress.updates = counts ? stepsOf(point, *parameters.front()) : point.manifest.step - progress.skippedSteps;
    return progress;
}

}  // namespace

std::string writeCheckpoint(const std::filesystem::path& runDirectory, CheckpointManifest manifest,
                            CheckpointTensors tensors) {
    const std::filesystem::path relative = std::filesystem::path("checkpoints") / directoryName(manifest.step);
    const std::filesystem::path directory = runDirectory / relative;
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    if (error)
        throw IoError("the checkpoint directory " + directory.string() + " could not be made: " + error.message());
    writeListed(
        directory, kWeightsName,
        encodeSafetensors(std::move(tensors.state), {{"format", "pt"}, {"step", std::to_string(manifest.step)}}),
        manifest);
    writeListed(directory, kOptimizerName, encodeSafetensors(std::move(tensors.optimizer), {{"format", "pt"}}),
                manifest);
    writeFileAtomically(directory / kManifestName, manifest.toJson().dump(2) + "\n");
    return relative.string();
}

std::string writeCheckpoint(const std::filesystem::path& runDirectory, CheckpointManifest manifest,
                            const TrainedParts& parts) {
    return writeCheckpoint(runDirectory, std::move(manifest), {weightTensors(parts), optimizerTensors(parts)});
}

CheckpointTensors gatherTensors(Strategy& strategy, bool keeps) {
    CheckpointTensors tensors;
    strategy.readWhole(
        [&](const WholeTensor& one) {
            if (!keeps) return;
            const bool isValue = *one.kept == '\0';
            StoredTensor tensor{.name = isValue ? one.of.name : stateName(one.of, one.kept),
                                .type = one.of.type == DType::kInt64 ? "I64" : "F32",
                                .shape = {one.of.shape.sizes().begin(), one.of.shape.sizes().end()}};
            tensor.bytes.assign(reinterpret_cast<const char*>(one.bytes.data()), one.bytes.size());
            (isValue ? tensors.state : tensors.optimizer).push_back(std::move(tensor));
        },
        true);
    if (keeps) addSteps(strategy.optimizer(), strategy.wholeParameters(), tensors.optimizer);
    return tensors;
}

bool areFinite(const CheckpointTensors& tensors) {
    for (const StoredTensor& tensor : tensors.state) {
        if (tensor.type != "F32") continue;
        for (std::size_t at = 0; at < tensor.bytes.size(); at += sizeof(float)) {
            float value = 0;
            std::memcpy(&value, tensor.bytes.data() + at, sizeof value);
            if (!std::isfinite(value)) return false;
        }
    }
    return true;
}

std::int64_t checkpointBytes(const Strategy& strategy, const Model& model) {
    constexpr std::int64_t kHeaders = 64 << 10;
    std::int64_t bytes = kHeaders;
    const auto kept = static_cast<std::int64_t>(1 + strategy.keptByOptimizer().size());
    for (const Parameter* one : model.wholeState()) bytes += kept * (one->shape.count() * 8 + 256);
    return bytes;
}

Result<bool> restoreCheckpoint(const ResumePoint& point, Strategy& strategy, const Model& model) {
    std::optional<Problem> problem;
    const auto fill = [&](const WholeTensor& one) {
        const bool isValue = *one.kept == '\0';
        std::ranges::fill(one.bytes, std::byte{0});
        if (problem || (!isValue && !point.optimizer)) return;
        const char* const file = isValue ? kWeightsName : kOptimizerName;
        const Tensor into{nullptr, one.of.shape, one.of.type, {}};
        const Result<std::string> bytes =
            bytesFor(isValue ? point.weights : *point.optimizer, (point.directory / file).string(),
                     isValue ? one.of.name : stateName(one.of, one.kept), one.of.shape, into);
        if (!bytes) {
            problem = bytes.problem();
            return;
        }
        std::memcpy(one.bytes.data(), bytes.value().data(), one.bytes.size());
    };
    strategy.writeWhole(fill);
    if (problem) return *problem;
    if (point.weights.entries().size() != model.wholeState().size())
        return Problem{(point.directory / kWeightsName).string(),
                       "has " + std::to_string(point.weights.entries().size()) + " tensors, but the model has " +
                           std::to_string(model.wholeState().size()),
                       "choose a checkpoint of the same model"};
    if (!point.optimizer) return true;
    strategy.optimizer().restore(progressAt(point, strategy.optimizer(), model.wholeParameters()));
    return true;
}

std::string parameterChecksum(Strategy& strategy) {
    Sha256 sum;
    strategy.readWhole(
        [&sum, &strategy](const WholeTensor& one) {
            const auto& parameters = strategy.wholeParameters();
            if (std::ranges::find(parameters, &one.of) != parameters.end()) sum.add(one.bytes);
        },
        false);
    return sum.hex();
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
    parts.optimizer.restore(progressAt(point, parts.optimizer, parts.parameters));
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
