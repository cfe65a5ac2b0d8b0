// SPDX-License-Identifier: Apache-2.0
#include "train/checkpoint.h"

#include <array>
#include <cstdio>
#include <span>
#include <system_error>

#include "backend/backend.h"
#include "base/files.h"
#include "base/json.h"
#include "base/sha256.h"
#include "nn/safetensors.h"

namespace ringside {

namespace {

std::string sha256Of(std::string_view bytes) {
    Sha256 sum;
    sum.add(std::as_bytes(std::span(bytes)));
    return sum.hex();
}

std::string directoryName(std::int64_t step) {
    std::array<char, 40> name{};
    std::snprintf(name.data(), name.size(), "step-%08lld", static_cast<long long>(step));
    return name.data();
}

std::string manifestOf(const CheckpointInfo& info, const std::string& weights) {
    Json manifest;
    manifest["version"] = 1;
    manifest["step"] = info.step;
    manifest["epochs_done"] = info.epochsDone;
    manifest["model"] = info.model;
    manifest["files"] =
        Json::array({Json{{"name", "model.safetensors"}, {"bytes", weights.size()}, {"sha256", sha256Of(weights)}}});
    return manifest.dump(2) + "\n";
}

}  // namespace

std::string writeCheckpoint(const std::filesystem::path& runDirectory, const CheckpointInfo& info,
                            const std::vector<Parameter*>& parameters, Backend& backend) {
    const std::filesystem::path relative = std::filesystem::path("checkpoints") / directoryName(info.step);
    const std::filesystem::path directory = runDirectory / relative;
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    if (error)
        throw IoError("the checkpoint directory " + directory.string() + " could not be made: " + error.message());
    const std::string weights =
        encodeSafetensors(parameters, backend, {{"format", "pt"}, {"step", std::to_string(info.step)}});
    writeFileAtomically(directory / "model.safetensors", weights);
    writeFileAtomically(directory / "manifest.json", manifestOf(info, weights));
    return relative.string();
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
