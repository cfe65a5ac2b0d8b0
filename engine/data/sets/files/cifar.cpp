// SPDX-License-Identifier: Apache-2.0
#include "data/sets/files/cifar.h"

#include <algorithm>
#include <array>

#include "data/sets/common/array_dataset.h"

namespace ringside {
namespace {

using std::filesystem::path;

constexpr std::size_t kPixelBytes = std::size_t{3} * 32 * 32;
// maximum number of pixel bytes of one part (training or test): nearly three times those of both parts of CIFAR-10
constexpr std::size_t kMaxCifarBytes = std::size_t{1} << 29;

constexpr std::array<std::string_view, 10> kNames10 = {"airplane", "automobile", "bird",  "cat",  "deer",
                                                       "dog",      "frog",       "horse", "ship", "truck"};
constexpr std::array<std::string_view, 100> kNames100 = {
    "apple",      "aquarium_fish", "baby",         "bear",       "beaver",      "bed",         "bee",
    "beetle",     "bicycle",       "bottle",       "bowl",       "boy",         "bridge",      "bus",
    "butterfly",  "camel",         "can",          "castle",     "caterpillar", "cattle",      "chair",
    "chimpanzee", "clock",         "cloud",        "cockroach",  "couch",       "crab",        "crocodile",
    "cup",        "dinosaur",      "dolphin",      "elephant",   "flatfish",    "forest",      "fox",
    "girl",       "hamster",       "house",        "kangaroo",   "keyboard",    "lamp",        "lawn_mower",
    "leopard",    "lion",          "lizard",       "lobster",    "man",         "maple_tree",  "motorcycle",
    "mountain",   "mouse",         "mushroom",     "oak_tree",   "orange",      "orchid",      "otter",
    "palm_tree",  "pear",          "pickup_truck", "pine_tree",  "plain",       "plate",       "poppy",
    "porcupine",  "possum",        "rabbit",       "raccoon",    "ray",         "road",        "rocket",
    "rose",       "sea",           "seal",         "shark",      "shrew",       "skunk",       "skyscraper",
    "snail",      "snake",         "spider",       "squirrel",   "streetcar",   "sunflower",   "sweet_pepper",
    "table",      "tank",          "telephone",    "television", "tiger",       "tractor",     "train",
    "trout",      "tulip",         "turtle",       "wardrobe",   "whale",       "willow_tree", "wolf",
    "woman",      "worm"};

struct CifarFiles {
    std::vector<path> training;
    std::vector<path> test;
};

bool isRegular(const path& file) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(file, ignored);
}

std::vector<path> batchesIn(const path& directory, CifarKind kind) {
    std::vector<path> found;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(directory, ignored)) {
        const std::string name = entry.path().filename().string();
        const bool wanted =
            kind == CifarKind::k100 ? name == "train.bin" : name.starts_with("data_batch_") && name.ends_with(".bin");
        if (wanted && isRegular(entry.path())) found.push_back(entry.path());
    }
    std::ranges::sort(found);
    return found;
}

CifarFiles findFiles(const path& given, CifarKind kind) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(given, ignored)) return {{given}, {}};
    for (const path& directory :
         {given, given / (kind == CifarKind::k10 ? "cifar-10-batches-bin" : "cifar-100-binary")}) {
        CifarFiles files{batchesIn(directory, kind), {}};
        const path test = directory / (kind == CifarKind::k10 ? "test_batch.bin" : "test.bin");
        if (isRegular(test)) files.test.push_back(test);
        if (!files.training.empty()) return files;
    }
    return {};
}

Problem wrongLength(const path& file, std::uint64_t bytes, std::size_t record) {
    return {file.string(),
            "ends within a record, after " + std::to_string(bytes) + " bytes; records of " + std::to_string(record) +
                " bytes were expected",
            "check that it is the complete binary version of the right kind (cifar10 or cifar100)"};
}

Problem wrongLabel(const path& file, std::uint64_t at, unsigned label, std::size_t classes) {
    return {file.string(),
            "has the label " + std::to_string(label) + " at byte " + std::to_string(at) + "; the maximum is " +
                std::to_string(classes - 1),
            "check that it is the binary version and the right kind (cifar10 or cifar100)"};
}

Result<bool> addFile(const path& file, CifarKind kind, const std::stop_token& stop, ArrayContent& content) {
    auto source = ByteSource::open(file, stop);
    if (!source) return source.problem();
    const std::size_t labelBytes = kind == CifarKind::k10 ? 1 : 2;
    const std::size_t classes = cifarClassNames(kind).size();
    auto& pixels = std::get<std::vector<std::uint8_t>>(content.values);
    std::vector<std::uint8_t> record(labelBytes + kPixelBytes);
    for (;;) {
        const std::uint64_t start = source.value().position();
        auto got = source.value().read(std::as_writable_bytes(std::span(record)));
        if (!got) return got.problem();
        if (got.value() == 0) break;
        if (got.value() < record.size()) return wrongLength(file, source.value().position(), record.size());
        const std::uint8_t label = record[labelBytes - 1];
        if (label >= classes) return wrongLabel(file, start + labelBytes - 1, label, classes);
        if (pixels.size() + kPixelBytes > kMaxCifarBytes) {
            return Problem{file.string(),
                           "makes the set larger than the limit of " + std::to_string(kMaxCifarBytes) + " bytes",
                           "use fewer files"};
        }
        content.labels.push_back(label);
        pixels.insert(pixels.end(), record.begin() + static_cast<std::ptrdiff_t>(labelBytes), record.end());
    }
    if (source.value().position() > 0) return true;
    return Problem{file.string(), "is empty", "download it again"};
}

Result<std::shared_ptr<const Dataset>> readPart(const std::vector<path>& files, CifarKind kind,
                                                const std::stop_token& stop) {
    ArrayContent content;
    content.shape = {3, 32, 32, static_cast<std::int64_t>(kPixelBytes)};
    content.values = std::vector<std::uint8_t>();
    const auto names = cifarClassNames(kind);
    content.classNames.assign(names.begin(), names.end());
    content.classCount = static_cast<std::int64_t>(names.size());
    for (const path& file : files) {
        if (auto added = addFile(file, kind, stop, content); !added) return added.problem();
    }
    return std::shared_ptr<const Dataset>(std::make_shared<ArrayDataset>(std::move(content)));
}

}  // namespace

std::span<const std::string_view> cifarClassNames(CifarKind kind) {
    if (kind == CifarKind::k10) return kNames10;
    return kNames100;
}

Result<DataParts> loadCifar(CifarKind kind, const path& given, const std::stop_token& stop) {
    const CifarFiles files = findFiles(given, kind);
    if (files.training.empty()) {
        return Problem{
            given.string(),
            std::string("is a directory without ") + (kind == CifarKind::k10 ? "data_batch_1.bin" : "train.bin"),
            "unpack the binary version of the set there, or name one of its .bin files"};
    }
    DataParts parts;
    auto training = readPart(files.training, kind, stop);
    if (!training) return training.problem();
    parts.training = std::move(training).value();
    if (files.test.empty()) return parts;
    auto validation = readPart(files.test, kind, stop);
    if (!validation) return validation.problem();
    parts.validation = std::move(validation).value();
    return parts;
}

}  // namespace ringside
