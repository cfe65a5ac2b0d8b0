// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "data/sets/common/dataset.h"

namespace ringside {

enum class ColumnType { kInteger, kReal, kText, kEmpty };

struct PreviewColumn {
    std::string name = {};  // from the header, else its number from 0
    ColumnType type = ColumnType::kEmpty;
    std::int64_t missing = 0;   // empty cells, "?", "NA", "nan" and the like
    std::int64_t distinct = 0;  // different cells among those read; counted up to kMaxPreviewDistinct
    double least = 0;           // of numbers
    double most = 0;
};

struct PreviewClass {
    std::string name;
    std::int64_t count = 0;
};

inline constexpr std::int64_t kMaxPreviewDistinct = 1000;

// What a file or directory seems to be, for showing before it is used. Made with bounded work: at most the first 8 MiB
// of a table are read.
struct DataPreview {
    enum class Found { kData, kExperiment, kRunDirectory };
    Found found = Found::kData;
    DatasetConfig dataset = {};  // kData: settings to load it with; its path is the one given
    SampleShape shape = {};
    std::int64_t sampleCount = 0;
    SampleShape firstImage = {};  // image_folder: before it is resized
    bool partial = false;         // sampleCount, classes and columns are those of the part read
    bool tableOrText = false;     // a .txt file that could be either: dataset.kind is the guess, or what was chosen

    // Tables only.
    bool header = false;
    bool ragged = false;  // its rows differ in length
    int labelColumn = -1;
    bool labelIsSure = false;          // else worth asking
    std::int64_t rowsWithMissing = 0;  // a value or the label
    std::vector<PreviewColumn> columns = {};
    std::vector<std::vector<std::string>> rows = {};  // the first 20 rows of data; a text's first lines, in one column

    std::vector<PreviewClass> classes = {};  // empty: numbers to be predicted, or not known yet
    std::vector<std::string> notes = {};     // what will keep it from loading, one sentence each
    std::string summary = {};  // "768 rows, 8 features, no header; column 8 is the label: 2 classes (0: 500, 1: 268)"
};

// What was chosen already is taken from `choices` instead of guessed: labelColumn, header, missing, labelsPath and
// imageSize; kind where it is csv or text. A text is cut into samples of choices.contextLength.
Result<DataPreview> previewFile(const std::filesystem::path& path, const DatasetConfig& choices = {});

// Parts of previewFile.
Result<DataPreview> previewTable(std::string_view text, const std::string& what, bool partial,
                                 const DatasetConfig& choices = {});
DataPreview previewCharacters(const std::string& text, const std::string& what, bool partial,
                              const DatasetConfig& choices);
Result<DataPreview> previewDirectory(const std::filesystem::path& directory, const DatasetConfig& choices = {});
std::string classesText(const std::vector<PreviewClass>& classes);

}  // namespace ringside
