// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "base/errors/errors.h"
#include "base/text/number_text.h"
#include "data/readers/byte_source.h"
#include "data/sets/builtin/digits_dataset.h"
#include "data/sets/builtin/text_dataset.h"
#include "data/sets/common/dataset.h"
#include "data/sets/common/standardize.h"
#include "data/sets/common/subset_dataset.h"
#include "data/sets/files/cifar.h"
#include "data/sets/files/csv_dataset.h"
#include "data/sets/files/image_folder.h"
#include "data/sets/synthetic/synthetic_dataset.h"
#include "data/sets/synthetic/synthetic_shapes.h"
#include "sampling/random/torch_random.h"

namespace ringside {
namespace {

using std::filesystem::path;

struct Indices {
    std::vector<std::uint32_t> training;
    std::vector<std::uint32_t> validation;
};

// Returns the number of validation samples, rounded up (360 of the 1,797 digits). Subtracts a small number before
// rounding, so that 10 % of 30 samples are 3 samples, and not 4 because of a rounding error. At least one sample
// remains for training.
std::size_t validationSize(std::int64_t size, double fraction) {
    const double wanted = std::ceil(static_cast<double>(size) * fraction - 1e-9);
    return static_cast<std::size_t>(std::clamp(wanted, 1.0, static_cast<double>(size - 1)));
}

Result<Indices> splitIndices(std::int64_t size, const DatasetConfig& config) {
    if (size < 2) {
        const std::string field = config.path.empty() ? "dataset.size" : config.path;
        return Problem{
            field,
            (config.path.empty() ? "is " : "has too few samples, ") + std::to_string(size) + "; the minimum is 2",
            "use more samples"};
    }
    Indices indices{TorchGenerator(config.splitSeed).randperm(size), {}};
    const auto count = static_cast<std::ptrdiff_t>(validationSize(size, config.validationFraction));
    indices.validation.assign(indices.training.end() - count, indices.training.end());
    indices.training.erase(indices.training.end() - count, indices.training.end());
    return indices;
}

DataParts partsOf(const std::shared_ptr<const Dataset>& whole, Indices indices) {
    return {std::make_shared<SubsetDataset>(whole, std::move(indices.training)),
            std::make_shared<SubsetDataset>(whole, std::move(indices.validation)),
            {}};
}

Result<DataParts> wholeTable(Result<SampleTable> table) {
    if (!table) return table.problem();
    return DataParts{std::make_shared<MemoryDataset>(std::move(table).value()), nullptr, {}};
}

std::string missingText(std::int64_t rowsLeftOut, std::int64_t filled) {
    if (rowsLeftOut > 0)
        return grouped(rowsLeftOut) + (rowsLeftOut == 1 ? " row with a missing value" : " rows with missing values") +
               " left out";
    if (filled > 0)
        return grouped(filled) + (filled == 1 ? " missing value" : " missing values") + " set to the column's mean";
    return {};
}

// Loads a table and standardizes its columns with the mean and deviation of the training part, because the columns may
// differ by orders of magnitude.
Result<DataParts> loadCsv(const DatasetConfig& config, const path& file, const std::stop_token& stop) {
    Result<SampleTable> table = readCsv(file, config, stop);
    if (!table) return table.problem();
    Result<Indices> indices = splitIndices(table.value().size, config);
    if (!indices) return indices.problem();
    const Result<std::int64_t> filled = fillMissing(table.value(), indices.value().training, file.string(), stop);
    if (!filled) return filled.problem();
    standardize(table.value(), indices.value().training, stop);
    if (stop.stop_requested()) return stoppedReading(file);
    const std::string note = missingText(table.value().rowsLeftOut, filled.value());
    DataParts parts = partsOf(std::make_shared<MemoryDataset>(std::move(table).value()), std::move(indices).value());
    parts.note = note;
    return parts;
}

Result<DataParts> loadSynthetic(const DatasetConfig& config, const std::stop_token& stop) {
    if (config.shape == SyntheticShape::kImagenet) return makeImagenetShaped(config.seed, config.imageSize);
    SampleTable table =
        config.shape == SyntheticShape::kRegression ? makeSynthetic(config, stop) : makeClasses(config, stop);
    if (stop.stop_requested()) return stoppedReading("synthetic");
    return wholeTable(std::move(table));
}

Result<DataParts> wholeText(const path& file, std::int64_t contextLength, const std::stop_token& stop) {
    const auto text = loadText(file, contextLength, stop);
    if (!text) return text.problem();
    return DataParts{text.value(), nullptr};
}

Result<DataParts> externalData() {
    return Problem{"dataset.kind", "is external: the samples belong to a script that Ringside only watched",
                   "choose another data set; the Shards page shows the recorded samples of the run"};
}

path resolved(const std::string& given, const path& baseDirectory) {
    return given.empty() || path(given).is_absolute() ? path(given) : baseDirectory / given;
}

// Arguments of the functions that each load one kind of data set. Relative paths are already resolved
// against the base directory.
struct Source {
    const DatasetConfig& config;
    path file;
    path labels;
    const std::stop_token& stop;
};

struct Kind {
    DatasetKind name;
    Result<DataParts> (*load)(const Source& source);
    bool needsPath = true;
};

constexpr std::array kKinds = {
    Kind{DatasetKind::kDigits, [](const Source&) { return wholeTable(loadDigits()); }, false},
    Kind{DatasetKind::kCsv, [](const Source& s) { return loadCsv(s.config, s.file, s.stop); }},
    Kind{DatasetKind::kIdx, [](const Source& s) { return loadArraySet(s.file, s.labels, s.stop); }},
    Kind{DatasetKind::kNpy, [](const Source& s) { return loadArraySet(s.file, s.labels, s.stop); }},
    Kind{DatasetKind::kCifar10, [](const Source& s) { return loadCifar(CifarKind::k10, s.file, s.stop); }},
    Kind{DatasetKind::kCifar100, [](const Source& s) { return loadCifar(CifarKind::k100, s.file, s.stop); }},
    Kind{DatasetKind::kImageFolder,
         [](const Source& s) { return loadImageFolder(s.file, s.config.imageSize, s.stop); }},
    Kind{DatasetKind::kSynthetic, [](const Source& s) { return loadSynthetic(s.config, s.stop); }, false},
    Kind{DatasetKind::kText, [](const Source& s) { return wholeText(s.file, s.config.contextLength, s.stop); }, false},
    Kind{DatasetKind::kExternal, [](const Source&) { return externalData(); }, false},
};

Result<DataParts> loadParts(const DatasetConfig& config, const path& baseDirectory, const std::stop_token& stop) {
    const auto* const kind = std::ranges::find(kKinds, config.kind, &Kind::name);
    RINGSIDE_ASSERT(kind != kKinds.end());
    if (kind->needsPath && config.path.empty()) {
        return Problem{"dataset.path", "is empty; a data set of the kind " + textOf(config.kind) + " needs one",
                       "name the file or directory"};
    }
    return kind->load({config, resolved(config.path, baseDirectory), resolved(config.labelsPath, baseDirectory), stop});
}

std::string formOf(const SampleShape& shape) {
    if (shape.isSequence) return grouped(shape.features) + (shape.features == 1 ? " character" : " characters");
    if (!shape.isImage()) return grouped(shape.features) + (shape.features == 1 ? " feature" : " features");
    return (shape.channels == 1 ? "" : std::to_string(shape.channels) + " x ") + std::to_string(shape.height) + " x " +
           std::to_string(shape.width);
}

}  // namespace

Result<DataSplit> loadDataset(const DatasetConfig& config, const path& baseDirectory, const std::stop_token& stop) {
    Result<DataParts> loaded = loadParts(config, baseDirectory, stop);
    if (!loaded) return loaded.problem();
    if (stop.stop_requested()) return stoppedReading(config.path);
    DataParts parts = std::move(loaded).value();
    const bool ownValidation = parts.validation != nullptr && config.kind != DatasetKind::kCsv;
    if (parts.validation == nullptr) {
        Result<Indices> indices = splitIndices(parts.training->size(), config);
        if (!indices) return indices.problem();
        parts = partsOf(parts.training, std::move(indices).value());
    }
    DataSplit split{parts.training, parts.validation, {}};
    split.summary = grouped(split.training->size()) + " training, " + grouped(split.validation->size()) +
                    " validation samples, " + formOf(split.training->shape()) +
                    (ownValidation ? ", as split by the data set" : "") + (parts.note.empty() ? "" : ", " + parts.note);
    return split;
}

}  // namespace ringside
