// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "data/sets/common/dataset.h"

namespace ringside {

// Type of the cells in a column of a table; missing cells do not count.
enum class ColumnType { kInteger, kReal, kText, kEmpty };

// Properties of one column of a table, determined from the rows that were read.
struct PreviewColumn {
    std::string name = {};  // name from the header, or the column number from 0
    ColumnType type = ColumnType::kEmpty;
    std::int64_t missing = 0;   // number of cells that are empty or contain a word for a missing value, such as "NA"
    std::int64_t distinct = 0;  // number of different cells in the rows that were read, at most kMaxPreviewDistinct
    double least = 0;           // smallest number in the column; 0 if it has no numbers
    double most = 0;
};

// A class and its number of samples in the rows that were read.
struct PreviewClass {
    std::string name;
    std::int64_t count = 0;
};

inline constexpr std::int64_t kMaxPreviewDistinct = 1000;

// Description of a file or directory that the user may want to train on. Quick to compute: at most the first 8 MiB of a
// table are read.
struct DataPreview {
    enum class Found { kData, kExperiment, kRunDirectory };
    Found found = Found::kData;
    DatasetConfig dataset = {};  // if `found` is kData: settings that load the file; the path is the one given to
                                 // previewFile()
    SampleShape shape = {};
    std::int64_t sampleCount = 0;
    SampleShape firstImage = {};  // image_folder: shape of the first image before it is resized
    // true: sampleCount, classes and columns describe only the part of the file that was read
    bool partial = false;
    // True for a .txt file that could contain a table or a text. dataset.kind is then a guess, or the user's choice.
    bool tableOrText = false;

    // Properties of a table. A text counts as a table with one column, whose rows are its first lines.
    bool header = false;
    bool ragged = false;  // true: the rows have different lengths
    int labelColumn = -1;
    bool labelIsSure = false;          // false: the label column is a guess that the user should confirm
    std::int64_t rowsWithMissing = 0;  // number of rows in which a value or the label is missing
    std::vector<PreviewColumn> columns = {};
    std::vector<std::vector<std::string>> rows = {};  // first 20 data rows, or first 20 lines of a text

    std::vector<PreviewClass> classes = {};  // classes of the labels; empty for regression targets or if unknown
    std::vector<std::string> notes = {};     // reasons why the data cannot be loaded, one sentence each
    std::string summary = {};  // description, such as "768 rows, 8 features, no header; column 8 is the label: 2
                               // classes (0: 500, 1: 268)"
};

// Describes a file or directory. Settings made in `choices` are used instead of guesses: labelColumn, header, missing,
// labelsPath, imageSize, and kind if it is csv or text. A text is cut into samples of choices.contextLength characters.
Result<DataPreview> previewFile(const std::filesystem::path& path, const DatasetConfig& choices = {});

// Describe one kind of data each, for previewFile(). what: name of the data in error messages.
Result<DataPreview> previewTable(std::string_view text, const std::string& what, bool partial,
                                 const DatasetConfig& choices = {});
DataPreview previewCharacters(const std::string& text, const std::string& what, bool partial,
                              const DatasetConfig& choices);
Result<DataPreview> previewDirectory(const std::filesystem::path& directory, const DatasetConfig& choices = {});
// Returns text such as "2 classes (0: 500, 1: 268)"; with more than 10 classes only their number; "1,000 or more
// classes" if they were not all counted.
std::string classesText(const std::vector<PreviewClass>& classes);

}  // namespace ringside
