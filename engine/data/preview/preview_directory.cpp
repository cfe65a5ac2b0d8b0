// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text/number_text.h"
#include "data/preview/preview.h"
#include "data/sets/common/array_set.h"
#include "data/sets/files/image_folder.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMaxCountedEntries = 200000;

bool has(const fs::path& directory, std::initializer_list<const char*> names) {
    std::error_code ignored;
    return std::ranges::any_of(names, [&](const char* name) { return fs::exists(directory / name, ignored); });
}

DataPreview plain(DatasetKind kind, const std::string& summary) {
    DataPreview preview;
    preview.dataset.kind = kind;
    preview.summary = summary;
    return preview;
}

DataPreview runDirectory() {
    DataPreview preview;
    preview.found = DataPreview::Found::kRunDirectory;
    preview.summary = "a run directory";
    return preview;
}

bool looksLikeImage(const fs::path& file) {
    std::string extension = file.extension().string();
    std::ranges::transform(extension, extension.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return extension == ".jpg" || extension == ".jpeg" || extension == ".png";
}

// Returns the number of images in a class folder and its subfolders. Decreases `budget` for each directory entry and
// stops counting at 0. Sets `first` to the image that listImageFolder() would list first.
std::int64_t countImages(const fs::path& folder, std::int64_t& budget, fs::path& first) {
    const auto place = [](const fs::path& p) { return std::pair(p.parent_path().string(), p.filename().string()); };
    std::int64_t images = 0;
    std::error_code error;
    auto at = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, error);
    for (; !error && at != fs::recursive_directory_iterator() && budget > 0; at.increment(error), --budget) {
        if (!looksLikeImage(at->path())) continue;
        ++images;
        if (first.empty() || place(at->path()) < place(first)) first = at->path();
    }
    return images;
}

// Sets the sample shape to the chosen size, or to the size of the first image.
void describeSize(const fs::path& first, std::int64_t chosen, DataPreview& preview) {
    const auto image = readImage(first);
    if (!image) {
        preview.notes.push_back(image.problem().text() + '.');
        return;
    }
    preview.firstImage = {3, image.value().height, image.value().width, 3 * image.value().height * image.value().width};
    preview.shape = chosen > 0 ? SampleShape{3, chosen, chosen, 3 * chosen * chosen} : preview.firstImage;
    preview.dataset.imageSize = chosen;
}

Result<DataPreview> previewImages(const fs::path& directory, const DatasetConfig& choices) {
    std::error_code error;
    std::vector<std::string> classes;
    const fs::path root = fs::is_directory(directory / "train", error) ? directory / "train" : directory;
    auto at = fs::directory_iterator(root, error);
    for (; !error && at != fs::directory_iterator(); at.increment(error)) {
        std::error_code unknown;
        if (at->is_directory(unknown)) classes.push_back(at->path().filename().string());
        if (static_cast<std::int64_t>(classes.size()) > kMaxCountedEntries) break;
    }
    if (error) return Problem{root.string(), "cannot be read (" + error.message() + ")", "check its permissions"};
    std::ranges::sort(classes);
    DataPreview preview = plain(DatasetKind::kImageFolder, {});
    std::int64_t budget = kMaxCountedEntries;
    fs::path first;
    for (const std::string& name : classes) {
        fs::path firstOfClass;
        preview.classes.push_back({name, countImages(root / name, budget, firstOfClass)});
        if (first.empty()) first = firstOfClass;
        preview.sampleCount += preview.classes.back().count;
    }
    preview.partial = budget <= 0;
    if (preview.sampleCount == 0) {
        return Problem{
            directory.string(), "is a directory without a known data set",
            "choose a file, a directory with one folder of images per class, or one with MNIST's or CIFAR's files"};
    }
    describeSize(first, choices.imageSize, preview);
    preview.summary = std::string(preview.partial ? "more than " : "") + grouped(preview.sampleCount) +
                      " images in folders; " + classesText(preview.classes);
    return preview;
}

}  // namespace

Result<DataPreview> previewDirectory(const fs::path& directory, const DatasetConfig& choices) {
    Result<DataPreview> preview = DataPreview{};
    if (has(directory, {"summary.json", "telemetry.jsonl", "metrics.jsonl"})) return runDirectory();
    if (has(directory, {"data_batch_1.bin", "cifar-10-batches-bin"})) {
        preview = plain(DatasetKind::kCifar10, "CIFAR-10, binary version");
    } else if (has(directory, {"cifar-100-binary"}) ||
               (has(directory, {"train.bin"}) && has(directory, {"test.bin"}))) {
        preview = plain(DatasetKind::kCifar100, "CIFAR-100, binary version");
    } else if (const auto samples = findSamplesFile(directory)) {
        preview = previewFile(*samples, choices);
    } else {
        preview = previewImages(directory, choices);
    }
    if (!preview) return preview;
    preview.value().dataset.path = directory.string();
    return preview;
}

}  // namespace ringside
