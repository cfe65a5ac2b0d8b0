// SPDX-License-Identifier: Apache-2.0
#include "train/checkpoint/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <exception>
#include <map>
#include <optional>
#include <span>
#include <system_error>

#include "backend/backend.h"
#include "base/crypto/sha256.h"
#include "base/errors/errors.h"
#include "base/system/atomic_file.h"
#include "base/system/files.h"

namespace ringside {

namespace {

constexpr std::size_t kNamesShown = 3;

const char* typeName(const Tensor& tensor) {
    return tensor.type == DType::kInt64 ? "I64" : "F32";
}

TensorOutline outlineOf(std::string name, const Parameter& parameter) {
    return {.name = std::move(name),
            .type = parameter.type == DType::kInt64 ? "I64" : "F32",
            .shape = {parameter.shape.sizes().begin(), parameter.shape.sizes().end()}};
}

// Returns the name of an optimizer tensor as in a flattened state_dict of PyTorch, such as "state.0.weight.exp_avg".
std::string stateName(const Parameter& parameter, const char* name) {
    return "state." + parameter.name + "." + name;
}

bool isThere(const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::exists(path, ignored);
}

// One of the two tensor files of a checkpoint. Its tensors may be written in any order.
class TensorFile {
  public:
    TensorFile(const std::filesystem::path& path, std::vector<TensorOutline> tensors,
               const std::map<std::string, std::string>& metadata)
        : m_path(path), m_layout(layOut(std::move(tensors), metadata)), m_file(path) {
        m_file.write(0, std::as_bytes(std::span(m_layout.head)));
    }

    void write(const std::string& name, std::span<const std::byte> bytes) {
        const SafetensorsFile::Entry& place = m_layout.entries.at(name);
        RINGSIDE_ASSERT(bytes.size() == place.size);
        m_file.write(place.begin, bytes);
    }
    void commit(CheckpointManifest& manifest) {
        m_file.commit();
        const Result<SafetensorsFile> written = SafetensorsFile::open(m_path);
        if (!written) throw IoError(written.problem().text(), isThere(m_path) ? 0 : ENOENT);
        manifest.files.push_back(
            {m_path.filename().string(), static_cast<std::int64_t>(m_layout.size), written.value().sha256()});
    }

  private:
    std::filesystem::path m_path;
    SafetensorsLayout m_layout;
    AtomicFile m_file;
};

// Checkpoint that is being written. Its files are discarded unless commit() is called.
class CheckpointFiles {
  public:
    // kept: names of the tensors that the optimizer keeps for each parameter, such as "exp_avg".
    CheckpointFiles(const std::filesystem::path& runDirectory, CheckpointManifest manifest,
                    const std::vector<Parameter*>& state, const std::vector<Parameter*>& parameters,
                    const std::vector<const char*>& kept, const Optimizer& optimizer)
        : m_relative(std::filesystem::path(kCheckpointsName) / checkpointName(manifest.step)),
          m_directory(made(runDirectory / m_relative)),
          m_manifest(std::move(manifest)),
          m_weights(m_directory / kWeightsName, outlines(state),
                    {{"format", "pt"}, {"step", std::to_string(m_manifest.step)}}),
          m_state(m_directory / kOptimizerName, outlines(parameters, kept, optimizer), {{"format", "pt"}}) {
        if (!optimizer.dependsOnUpdateCount()) return;
        // Stores the number of steps as a float, as torch.optim.Adam does.
        const auto steps = static_cast<float>(optimizer.progress().updates);
        for (const Parameter* one : parameters)
            m_state.write(stateName(*one, "step"), std::as_bytes(std::span(&steps, 1)));
    }

    // Writes one tensor of a parameter. kept: name of the optimizer's tensor; empty: writes the value of the parameter.
    void write(const Parameter& of, const char* kept, std::span<const std::byte> bytes) {
        if (*kept == '\0')
            m_weights.write(of.name, bytes);
        else
            m_state.write(stateName(of, kept), bytes);
    }
    const std::filesystem::path& directory() const { return m_directory; }
    std::string commit() {
        m_weights.commit(m_manifest);
        m_state.commit(m_manifest);
        const std::filesystem::path manifest = m_directory / kManifestName;
        writeFileAtomically(manifest, m_manifest.toJson().dump(2) + "\n");
        if (!isThere(manifest))
            throw IoError(manifest.string() + " was deleted while the checkpoint was written", ENOENT);
        return m_relative.string();
    }

  private:
    static std::filesystem::path made(std::filesystem::path directory) {
        std::error_code error;
        std::filesystem::create_directories(directory, error);
        if (error)
            throw IoError("the checkpoint directory " + directory.string() + " cannot be created (" +
                              errnoText(error.value()) + ")",
                          error.value());
        return directory;
    }
    static std::vector<TensorOutline> outlines(const std::vector<Parameter*>& state) {
        std::vector<TensorOutline> all;
        for (const Parameter* one : state) all.push_back(outlineOf(one->name, *one));
        return all;
    }
    static std::vector<TensorOutline> outlines(const std::vector<Parameter*>& parameters,
                                               const std::vector<const char*>& kept, const Optimizer& optimizer) {
        std::vector<TensorOutline> all;
        for (const Parameter* one : parameters) {
            for (const char* name : kept) all.push_back(outlineOf(stateName(*one, name), *one));
            if (optimizer.dependsOnUpdateCount()) all.push_back({.name = stateName(*one, "step")});
        }
        return all;
    }

    std::filesystem::path m_relative;
    std::filesystem::path m_directory;
    CheckpointManifest m_manifest;
    TensorFile m_weights;
    TensorFile m_state;
};

bool areFinite(std::span<const std::byte> floats) {
    for (std::size_t at = 0; at < floats.size(); at += sizeof(float)) {
        float value = 0;
        std::memcpy(&value, floats.data() + at, sizeof value);
        if (!std::isfinite(value)) return false;
    }
    return true;
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

// Returns the entry of the tensor `name` in the file. Returns a problem if the file does not contain the tensor, or
// contains it with another type or shape.
Result<SafetensorsFile::Entry> entryFor(const SafetensorsFile& file, const std::string& fileName,
                                        const std::string& name, const Shape& shape, const Tensor& into) {
    const SafetensorsFile::Entry* entry = file.find(name);
    if (entry == nullptr)
        return Problem{fileName, "has no tensor " + name + "; it has " + namesIn(file),
                       "choose a checkpoint of the same model"};
    if (entry->type != typeName(into))
        return Problem{fileName, "has " + name + " as " + entry->type + "; the model's tensor is " + typeName(into),
                       "save the tensor with the model's type"};
    if (!std::ranges::equal(entry->shape, shape.sizes()))
        return Problem{
            fileName,
            "has " + name + " with shape " + shapeText(entry->shape) + "; the model's tensor has shape " + shape.text(),
            "choose a checkpoint of the same model with the same numbers of features and classes"};
    return *entry;
}

// Returns a problem if a value is not finite. Otherwise every loss after resuming would be non-finite, and the error
// message would blame the data set.
std::optional<Problem> checkFinite(std::span<const std::byte> bytes, const std::string& fileName,
                                   const std::string& name) {
    if (areFinite(bytes)) return {};
    return Problem{fileName, "has values in " + name + " that are infinite or not a number",
                   "choose an earlier checkpoint, or set training.on_non_finite to continue"};
}

// Reads one tensor of the file into a tensor of the same shape.
std::optional<Problem> restore(const SafetensorsFile& file, const std::string& fileName, const std::string& name,
                               const Shape& shape, const Tensor& into, Backend& backend, bool mustBeFinite) {
    const Result<SafetensorsFile::Entry> entry = entryFor(file, fileName, name, shape, into);
    if (!entry) return entry.problem();
    const std::string bytes = file.bytes(entry.value());
    if (mustBeFinite && into.type == DType::kFloat32)
        if (auto problem = checkFinite(std::as_bytes(std::span(bytes)), fileName, name)) return problem;
    backend.upload(bytes.data(), into);
    return {};
}

// Returns the number of steps of the Adam optimizer. The file stores the number as a float; above 2^24, only the
// manifest contains the exact number.
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
    const bool counts = optimizer.dependsOnUpdateCount() && !parameters.empty();
    progress.updates = counts ? stepsOf(point, *parameters.front()) : point.manifest.step - progress.skippedSteps;
    return progress;
}

}  // namespace

std::string checkpointName(std::int64_t step) {
    return fmt::format("step-{:08}", step);
}

std::string writeCheckpoint(const std::filesystem::path& runDirectory, CheckpointManifest manifest,
                            const TrainedParts& parts) {
    std::vector<const char*> kept;
    for (const OptimizerTensor& one : parts.optimizer.state())
        if (one.parameter == 0) kept.push_back(one.name);
    CheckpointFiles files(runDirectory, std::move(manifest), parts.state, parts.parameters, kept, parts.optimizer);
    std::vector<std::byte> bytes;
    const auto write = [&](const Parameter& of, const char* name, const Tensor& value) {
        bytes.resize(value.bytes());
        parts.backend.download(value, bytes.data());
        files.write(of, name, bytes);
    };
    for (const Parameter* one : parts.state) write(*one, "", one->value);
    for (const OptimizerTensor& one : parts.optimizer.state())
        write(*parts.parameters[one.parameter], one.name, one.value);
    return files.commit();
}

// If writing fails on this rank, the rank still takes part in gathering the remaining tensors and rethrows the error at
// the end. Otherwise the other ranks would wait for this rank in a collective.
std::optional<std::string> writeCheckpoint(const std::filesystem::path& runDirectory, CheckpointManifest manifest,
                                           Strategy& strategy, bool mustBeFinite) {
    std::optional<CheckpointFiles> files;
    std::exception_ptr failure;
    bool finite = true;
    const auto guarded = [&failure](const auto& work) {
        if (failure) return;
        try {
            work();
        } catch (...) {
            failure = std::current_exception();
        }
    };
    guarded([&] {
        files.emplace(runDirectory, std::move(manifest), strategy.wholeState(), strategy.wholeParameters(),
                      strategy.wholeTensors()->optimizerTensorNames(), strategy.optimizer());
    });
    strategy.wholeTensors()->read(
        [&](const WholeTensor& one) {
            const bool isWeight = *one.kept == '\0' && one.of.type == DType::kFloat32;
            if (isWeight && mustBeFinite) finite = finite && areFinite(one.bytes);
            if (finite) guarded([&] { files->write(one.of, one.kept, one.bytes); });
        },
        true);
    if (failure) std::rethrow_exception(failure);
    if (finite) return files->commit();
    const std::filesystem::path directory = files->directory();
    files.reset();
    std::error_code ignored;
    std::filesystem::remove(directory, ignored);  // removes the directory only if it is empty; an error is ignored
    return {};
}

void gatherForCheckpoint(Strategy& strategy) {
    strategy.wholeTensors()->read([](const WholeTensor&) {}, true);
}

std::int64_t checkpointBytes(Strategy& strategy, const Model& model) {
    constexpr std::int64_t kHeaders = 64 << 10;
    std::int64_t bytes = kHeaders;
    const auto kept = static_cast<std::int64_t>(1 + strategy.wholeTensors()->optimizerTensorNames().size());
    for (const Parameter* one : model.wholeState()) bytes += kept * (one->shape.count() * 8 + 256);
    return bytes;
}

Result<bool> restoreCheckpoint(const ResumePoint& point, Strategy& strategy, const Model& model, bool mustBeFinite) {
    std::optional<Problem> problem;
    const auto fill = [&](const WholeTensor& one) {
        const bool isValue = *one.kept == '\0';
        std::ranges::fill(one.bytes, std::byte{0});
        if (problem || (!isValue && !point.optimizer)) return;
        const std::string file = (isValue ? point.weightsFile : point.directory / kOptimizerName).string();
        const std::string name = isValue ? one.of.name : stateName(one.of, one.kept);
        const Tensor into{nullptr, one.of.shape, one.of.type, {}};
        const SafetensorsFile& source = isValue ? point.weights : *point.optimizer;
        const Result<SafetensorsFile::Entry> entry = entryFor(source, file, name, one.of.shape, into);
        if (!entry) {
            problem = entry.problem();
            return;
        }
        source.read(entry.value(), one.bytes);
        if (mustBeFinite && into.type == DType::kFloat32) problem = checkFinite(one.bytes, file, name);
    };
    strategy.wholeTensors()->write(fill);
    if (problem) return *problem;
    if (point.weights.entries().size() != model.wholeState().size())
        return Problem{point.weightsFile.string(),
                       "has " + std::to_string(point.weights.entries().size()) + " tensors, but the model has " +
                           std::to_string(model.wholeState().size()),
                       "choose a checkpoint of the same model"};
    if (!point.optimizer) return true;
    strategy.optimizer().restore(progressAt(point, strategy.optimizer(), model.wholeParameters()));
    return true;
}

std::string parameterChecksum(Strategy& strategy) {
    Sha256 sum;
    strategy.wholeTensors()->read(
        [&sum, &strategy](const WholeTensor& one) {
            const auto& parameters = strategy.wholeParameters();
            if (std::ranges::find(parameters, &one.of) != parameters.end()) sum.add(one.bytes);
        },
        false);
    return sum.hex();
}

std::int64_t checkpointBytes(const TrainedParts& parts) {
    constexpr std::int64_t kHeaders = 64 << 10;  // estimated size of names, shapes and the manifest, in bytes
    constexpr std::int64_t kPerTensor = 256;
    std::int64_t bytes = kHeaders;
    const auto add = [&bytes](const Tensor& tensor) {
        bytes += static_cast<std::int64_t>(tensor.bytes()) + kPerTensor;
    };
    for (const Parameter* one : parts.state) add(one->value);
    for (const OptimizerTensor& one : parts.optimizer.state()) add(one.value);
    return bytes;
}

Result<bool> restoreCheckpoint(const ResumePoint& point, const TrainedParts& parts, bool mustBeFinite) {
    const std::string weights = point.weightsFile.string();
    for (const Parameter* one : parts.state) {
        const auto problem =
            restore(point.weights, weights, one->name, one->shape, one->value, parts.backend, mustBeFinite);
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
        const auto problem = restore(*point.optimizer, state, stateName(parameter, one.name), parameter.shape,
                                     one.value, parts.backend, mustBeFinite);
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
