// SPDX-License-Identifier: Apache-2.0
#include "train/checkpoint/own_checkpoints.h"

#include <charconv>
#include <map>
#include <optional>
#include <string_view>

#include "base/system/files.h"
#include "run/checkpoint/checkpoint_manifest.h"
#include "train/checkpoint/checkpoint.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;

// Returns the step in a directory name of the form that checkpointName() returns. Returns an empty value for all other
// names.
std::optional<std::int64_t> stepInName(const std::string& name) {
    constexpr std::string_view kBefore = "step-";
    if (!name.starts_with(kBefore)) return {};
    std::int64_t step = 0;
    const char* end = name.data() + name.size();
    const auto [read, error] = std::from_chars(name.data() + kBefore.size(), end, step);
    if (error != std::errc() || read != end || checkpointName(step) != name) return {};
    return step;
}

std::map<std::int64_t, fs::path> namedAsOurs(const fs::path& checkpoints) {
    std::map<std::int64_t, fs::path> found;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(checkpoints, error)) {
        const std::optional<std::int64_t> step = stepInName(entry.path().filename().string());
        if (step && entry.symlink_status(error).type() == fs::file_type::directory) found[*step] = entry.path();
    }
    return found;
}

}  // namespace

OwnCheckpoints findOwnCheckpoints(const fs::path& runDirectory, const fs::path& resumed, std::int64_t step) {
    OwnCheckpoints own;
    std::error_code error;
    if (!fs::equivalent(resumed.parent_path(), runDirectory / kCheckpointsName, error) || error) return own;
    for (const auto& [named, directory] : namedAsOurs(runDirectory / kCheckpointsName)) {
        const std::string path = fs::path(kCheckpointsName) / directory.filename();
        const fs::path file = directory / kManifestName;
        if (!fs::exists(file, error)) {
            if (!error) own.superseded.push_back(path);
            continue;
        }
        const Result<Json> json = readJsonFile(file);
        if (!json) continue;
        const Result<CheckpointManifest> manifest = CheckpointManifest::fromJson(json.value(), file.string());
        if (!manifest || manifest.value().step != named) continue;
        std::vector<std::string>& list = named > step ? own.superseded : manifest.value().timed ? own.timed : own.kept;
        list.push_back(path);
    }
    return own;
}

}  // namespace ringside
