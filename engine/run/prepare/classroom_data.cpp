// SPDX-License-Identifier: Apache-2.0
#include "run/prepare/classroom_data.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <span>

#include "base/crypto/secret.h"
#include "base/crypto/sha256.h"
#include "base/text/number_text.h"
#include "data/sets/common/array_set.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;

Result<std::string> sumOfFile(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) return Problem{file.string(), "cannot be read", "check that the file exists"};
    Sha256 sum;
    std::vector<char> bytes(1U << 20);
    while (in.read(bytes.data(), static_cast<std::streamsize>(bytes.size())) || in.gcount() > 0)
        sum.add(std::as_bytes(std::span(bytes.data(), static_cast<std::size_t>(in.gcount()))));
    return sum.hex();
}

// Files of a ClassroomOffer: path on this computer by the name in the offer.
using Files = std::map<std::string, fs::path>;

void addFolder(const fs::path& folder, const std::string& name, Files& files) {
    std::error_code error;
    for (const auto& entry : fs::recursive_directory_iterator(folder, error)) {
        if (files.size() > kMaxClassroomFiles) return;
        if (entry.is_regular_file(error))
            files[name + "/" + fs::relative(entry.path(), folder, error).generic_string()] = entry.path();
    }
}

// For a data set in one array file, without a configured file of labels: adds the files of labels and test samples that
// the data set finds by name in the directory of `samples`, the array file.
void addGuessed(const fs::path& samples, Files& files) {
    const auto add = [&](const std::optional<fs::path>& file) {
        if (file) files["data/" + file->filename().string()] = *file;
    };
    add(guessLabelsFile(samples));
    const auto test = guessTestFile(samples);
    add(test);
    if (test) add(guessLabelsFile(*test));
}

// Returns the files of the data set, by their names in the offer. Sets the paths in `offered` to these names.
Files datasetFiles(const DatasetConfig& dataset, DatasetConfig& offered) {
    Files files;
    offered.path.clear();
    offered.labelsPath.clear();
    if (dataset.path.empty() || dataset.kind == DatasetKind::kDigits || dataset.kind == DatasetKind::kSynthetic)
        return files;
    const fs::path path = dataset.path;
    std::error_code error;
    if (fs::is_directory(path, error)) {
        addFolder(path, "data", files);
        offered.path = "data";
    } else {
        offered.path = "data/" + path.filename().string();
        files[offered.path] = path;
        const bool isArray = dataset.kind == DatasetKind::kIdx || dataset.kind == DatasetKind::kNpy;
        if (isArray && dataset.labelsPath.empty()) addGuessed(path, files);
    }
    if (dataset.labelsPath.empty()) return files;
    offered.labelsPath = "labels/" + fs::path(dataset.labelsPath).filename().string();
    files[offered.labelsPath] = dataset.labelsPath;
    return files;
}

// Adds the file of a pipeline schedule to `files`, and sets `offered` to the file's name in the offer.
void addSchedule(const std::string& file, std::string& offered, Files& files) {
    if (file.empty()) return;
    offered = "schedule/" + fs::path(file).filename().string();
    files[offered] = file;
}

Result<ClassroomData> offerOf(const Files& files, std::int64_t maxBytes) {
    ClassroomData data;
    if (files.size() > kMaxClassroomFiles)
        return Problem{"the data set", "has more than " + std::to_string(kMaxClassroomFiles) + " files",
                       "pack it into one .npy file, or copy it to all computers and start the ranks with --hosts"};
    for (const auto& [name, path] : files) {
        std::error_code error;
        const auto bytes = static_cast<std::int64_t>(fs::file_size(path, error));
        if (error)
            return Problem{path.string(), "cannot be read (" + error.message() + ")", "check that the file exists"};
        if (!isSafeName(name))
            return Problem{path.string(), "has a file name that cannot be sent to other computers", "rename the file"};
        data.offer.files.push_back({name, bytes, {}});
        data.sources.push_back(path);
    }
    if (data.offer.bytes() > maxBytes)
        return Problem{"the data set",
                       "and the checkpoint have " + memoryText(data.offer.bytes()) + ", but at most " +
                           memoryText(maxBytes) + " are sent to computers that join",
                       "allow more with --most-mb"};
    for (std::size_t i = 0; i < data.sources.size(); ++i) {
        Result<std::string> sum = sumOfFile(data.sources[i]);
        if (!sum) return sum.problem();
        data.offer.files[i].sha256 = sum.value();
    }
    return data;
}

}  // namespace

RunConfig classConfig(RunConfig config, std::int64_t worldSize) {
    config.parallel.worldSize = worldSize;
    config.parallel.device = DeviceChoice::kCpu;
    if (config.parallel.backend != CollectiveBackend::kGloo) config.parallel.backend = CollectiveBackend::kAuto;
    config.parallel.interface.clear();
    return config;
}

std::string experimentHash(RunConfig offered) {
    offered.training.resume.clear();
    return sha256Text(offered.toText());
}

Result<ClassroomData> gatherClassroomData(const RunConfig& config, const fs::path& checkpoint, std::int64_t maxBytes) {
    RunConfig offered = config;
    Files files = datasetFiles(config.dataset, offered.dataset);
    addSchedule(config.pipeline.scheduleFile, offered.pipeline.scheduleFile, files);
    if (!checkpoint.empty()) addFolder(checkpoint, "checkpoint", files);
    Result<ClassroomData> data = offerOf(files, maxBytes);
    if (!data) return data.problem();
    offered.training.resume.clear();
    data.value().offer.config = offered.toText();
    data.value().offer.resumes = !checkpoint.empty();
    data.value().offered = offered;
    return data;
}

}  // namespace ringside
