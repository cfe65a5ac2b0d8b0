// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "base/number_text.h"
#include "data/csv_dataset.h"
#include "data/dataset.h"
#include "data/digits_dataset.h"
#include "data/standardize.h"
#include "data/subset_dataset.h"
#include "data/synthetic_dataset.h"
#include "sampling/torch_random.h"

namespace ringside {
namespace {

Result<SampleTable> readTable(const DatasetConfig& config, const std::filesystem::path& baseDirectory) {
    if (config.kind == "digits") return loadDigits();
    if (config.kind == "synthetic") return makeSynthetic(config);
    if (config.kind != "csv")
        return Problem{"dataset.kind", "is \"" + config.kind + "\"", "choose digits, csv or synthetic"};
    if (config.path.empty())
        return Problem{"dataset.path", "is empty; a csv data set needs a file", "name the CSV file"};
    const std::filesystem::path path(config.path);
    return readCsv(path.is_absolute() ? path : baseDirectory / path, config.labelColumn);
}

// Rounded up, so that the digits give 360 of 1,797; the small term keeps 0.1 * 30 from becoming 4. One stays to train.
std::size_t validationSize(std::int64_t size, double fraction) {
    const double wanted = std::ceil(static_cast<double>(size) * fraction - 1e-9);
    return static_cast<std::size_t>(std::clamp(wanted, 1.0, static_cast<double>(size - 1)));
}

std::string summaryOf(const DataSplit& split) {
    const SampleShape shape = split.training->shape();
    const std::string form = shape.isImage()
                                 ? std::to_string(shape.height) + " x " + std::to_string(shape.width)
                                 : grouped(shape.features) + (shape.features == 1 ? " feature" : " features");
    return grouped(split.training->size()) + " training, " + grouped(split.validation->size()) +
           " validation samples, " + form;
}

}  // namespace

Result<DataSplit> loadDataset(const DatasetConfig& config, const std::filesystem::path& baseDirectory) {
    Result<SampleTable> table = readTable(config, baseDirectory);
    if (!table) return table.problem();
    const std::int64_t size = table.value().size;
    if (size < 2) return Problem{"dataset.size", "is " + std::to_string(size) + "; the least is 2", "use more samples"};

    std::vector<std::uint32_t> training = TorchGenerator(config.splitSeed).randperm(size);
    const auto middle = training.end() - static_cast<std::ptrdiff_t>(validationSize(size, config.validationFraction));
    const std::vector<std::uint32_t> validation(middle, training.end());
    training.erase(middle, training.end());

    if (config.kind == "csv") standardize(table.value(), training);
    const auto whole = std::make_shared<MemoryDataset>(std::move(table).value());
    DataSplit split{std::make_shared<SubsetDataset>(whole, std::move(training)),
                    std::make_shared<SubsetDataset>(whole, validation),
                    {}};
    split.summary = summaryOf(split);
    return split;
}

}  // namespace ringside
