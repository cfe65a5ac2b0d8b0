// SPDX-License-Identifier: Apache-2.0
#include "data/preview/preview.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>

#include "base/text/number_text.h"
#include "data/readers/array_file.h"
#include "data/readers/byte_source.h"
#include "data/readers/csv_table.h"
#include "data/sets/common/array_set.h"
#include "data/sets/files/cifar.h"

namespace ringside {
namespace {

using std::filesystem::path;

constexpr std::size_t kPreviewBytes = std::size_t{8} << 20;
constexpr std::uint64_t kMaxPreviewLabels = std::uint64_t{4} << 20;
constexpr std::size_t kCifarPixels = 3072;

// First kPreviewBytes bytes of a file, after unpacking.
struct Start {
    std::string text;
    bool whole = true;
    bool packed = false;
    std::uint64_t fileBytes = 0;
};

Result<Start> readStart(const path& file) {
    auto source = ByteSource::open(file);
    if (!source) return source.problem();
    Start start;
    start.packed = source.value().packed();
    start.fileBytes = source.value().maxBytesLeft();
    start.text.resize(static_cast<std::size_t>(std::min<std::uint64_t>(start.fileBytes, kPreviewBytes)));
    auto got = source.value().read(std::as_writable_bytes(std::span(start.text)));
    if (!got) return got.problem();
    start.text.resize(got.value());
    std::byte next;
    auto more = source.value().read({&next, 1});
    start.whole = more && more.value() == 0;
    return start;
}

bool isArray(const std::string& text) {
    const bool idx = text.size() >= 8 && text[0] == '\0' && text[1] == '\0' && text[2] >= 8 && text[2] <= 14 &&
                     text[3] >= 1 && text[3] <= 8;
    return idx || text.starts_with("\x93NUMPY");
}

// Detects CIFAR files by their content, because they have no magic bytes: the file size must be a multiple of the
// record size, and each record that was read must start with a valid label.
std::optional<CifarKind> cifarKindOf(const Start& start) {
    for (const CifarKind kind : {CifarKind::k10, CifarKind::k100}) {
        const std::size_t labels = kind == CifarKind::k10 ? 1 : 2;
        const std::size_t record = labels + kCifarPixels;
        if (start.packed || start.fileBytes == 0 || start.fileBytes % record != 0) continue;
        bool fits = true;
        for (std::size_t at = 0; at + labels <= start.text.size(); at += record) {
            const auto label = static_cast<unsigned char>(start.text[at + labels - 1]);
            fits = fits && label < cifarClassNames(kind).size();
        }
        if (fits) return kind;
    }
    return {};
}

std::string formText(const SampleShape& shape) {
    if (!shape.isImage()) return grouped(shape.features) + (shape.features == 1 ? " feature" : " features");
    const std::string size = std::to_string(shape.height) + " x " + std::to_string(shape.width);
    return shape.channels == 1 ? size : std::to_string(shape.channels) + " x " + size;
}

Result<bool> countLabels(const path& labels, DataPreview& preview) {
    auto file = ArrayFile::open(labels);
    if (!file) return file.problem();
    const ArrayHeader& header = file.value().header;
    if (header.type == ElementType::kF32 || header.type == ElementType::kF64) return true;
    if (header.valueCount() > kMaxPreviewLabels) return true;
    auto values = file.value().readIntegers();
    if (!values) return values.problem();
    std::map<std::int64_t, std::int64_t> counts;
    for (const std::int64_t label : values.value()) {
        if (++counts[label] == 1 && static_cast<std::int64_t>(counts.size()) > kMaxPreviewDistinct) return true;
    }
    for (const auto& [label, count] : counts) preview.classes.push_back({std::to_string(label), count});
    return true;
}

Result<DataPreview> previewArray(const path& file, const DatasetConfig& choices) {
    auto array = ArrayFile::open(file);
    if (!array) return array.problem();
    const ArrayHeader& header = array.value().header;
    if (header.shape.size() < 2) {
        return Problem{file.string(),
                       "has one value per sample (" + header.shapeText() + "), so the file probably contains labels",
                       "choose the file with the samples"};
    }
    DataPreview preview;
    preview.dataset.kind = header.format == "IDX" ? DatasetKind::kIdx : DatasetKind::kNpy;
    preview.shape = layoutOf(header.shape).shape;
    preview.sampleCount = header.shape[0];
    preview.summary = grouped(preview.sampleCount) + " samples of " + formText(preview.shape) + ", " +
                      elementName(header.type) + " (" + header.format + ")";
    preview.dataset.labelsPath = choices.labelsPath;
    const auto labels = choices.labelsPath.empty() ? guessLabelsFile(file) : path(choices.labelsPath);
    if (!labels) {
        preview.notes.push_back(
            "The folder contains no labels file with a matching name: choose the file with the labels.");
        return preview;
    }
    preview.summary += ", labels in " + labels->filename().string();
    if (auto counted = countLabels(*labels, preview); !counted) preview.notes.push_back(counted.problem().text());
    if (!preview.classes.empty()) preview.summary += "; " + classesText(preview.classes);
    return preview;
}

DataPreview previewCifar(CifarKind kind, std::uint64_t bytes) {
    DataPreview preview;
    preview.dataset.kind = kind == CifarKind::k10 ? DatasetKind::kCifar10 : DatasetKind::kCifar100;
    preview.shape = {3, 32, 32, kCifarPixels};
    preview.sampleCount = static_cast<std::int64_t>(bytes / (kCifarPixels + (kind == CifarKind::k10 ? 1 : 2)));
    preview.summary = grouped(preview.sampleCount) + " images of 3 x 32 x 32 (" +
                      (kind == CifarKind::k10 ? "CIFAR-10)" : "CIFAR-100)");
    return preview;
}

// True if the text starts with a UTF-16 byte order mark. UTF-16 gets its own error message instead of the one for
// binary files.
bool isUtf16(const std::string& text) {
    return text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff");
}

// True if the file's name has an extension of text files. Tables may have such extensions, too.
bool hasTextName(const path& file) {
    std::string name = file.filename().string();
    if (name.ends_with(".gz")) name.resize(name.size() - 3);
    std::ranges::transform(name, name.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return name.ends_with(".txt") || name.ends_with(".text") || name.ends_with(".md");
}

Result<DataPreview> previewRows(const path& file, Start start, const DatasetConfig& choices) {
    // Cuts the text at its last line end, because an incomplete last row would count as a row with missing cells.
    const std::size_t lineEnd = start.text.find_last_of("\r\n");
    if (!start.whole && lineEnd == std::string::npos) {
        return Problem{file.string(), "has no line end in its first " + std::to_string(kPreviewBytes) + " bytes",
                       "check that it is a table"};
    }
    if (!start.whole) start.text.resize(lineEnd + 1);
    auto text = csvText(std::move(start.text), file.string());
    if (!text) return text.problem();
    return previewTable(text.value(), file.string(), !start.whole, choices);
}

Result<DataPreview> previewText(const path& file, Start start, const DatasetConfig& choices) {
    const std::size_t first = start.text.find_first_not_of(" \t\r\n");
    if (first != std::string::npos && start.text[first] == '{') {
        DataPreview preview;
        preview.found = DataPreview::Found::kExperiment;
        preview.summary = "an experiment file";
        return preview;
    }
    if (start.text.substr(0, 4096).find('\0') != std::string::npos && !isUtf16(start.text)) {
        return Problem{file.string(), "has an unknown format",
                       "choose a CSV, IDX, CIFAR binary or NumPy .npy file, a text, or a directory of images"};
    }
    const bool named = hasTextName(file);
    const std::string characters = named ? start.text : std::string();
    const bool partial = !start.whole;
    Result<DataPreview> preview = previewRows(file, std::move(start), choices);
    const bool isTable = preview && !preview.value().ragged;
    if (named && (choices.kind == DatasetKind::kText || (!isTable && choices.kind != DatasetKind::kCsv)))
        preview = previewCharacters(characters, file.string(), partial, choices);
    if (preview) preview.value().tableOrText = named && isTable;
    return preview;
}

}  // namespace

Result<DataPreview> previewFile(const path& file, const DatasetConfig& choices) {
    std::error_code ignored;
    if (std::filesystem::is_directory(file, ignored)) return previewDirectory(file, choices);
    auto start = readStart(file);
    if (!start) return start.problem();
    const std::string& text = start.value().text;
    if (text.empty()) return Problem{file.string(), "is empty", "choose a file with samples"};
    Result<DataPreview> preview = DataPreview{};
    if (isArray(text)) {
        preview = previewArray(file, choices);
    } else if (const auto cifar = cifarKindOf(start.value())) {
        preview = previewCifar(*cifar, start.value().fileBytes);
    } else if (text.starts_with("\xff\xd8\xff") || text.starts_with("\x89PNG")) {
        return Problem{file.string(), "is a single image", "choose the directory with one folder of images per class"};
    } else {
        preview = previewText(file, std::move(start).value(), choices);
    }
    if (preview) preview.value().dataset.path = file.string();
    return preview;
}

}  // namespace ringside
