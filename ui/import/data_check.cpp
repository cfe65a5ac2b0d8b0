// SPDX-License-Identifier: GPL-3.0-or-later
#include "import/data_check.h"

#include <algorithm>

namespace ringside {
namespace {

constexpr std::int64_t kPictures = 14;
constexpr int kPictureSide = 64;
constexpr std::int64_t kLabelsBetweenChecks = 1 << 16;  // the stop token is checked once per this number of samples

std::vector<PreviewClass> countClasses(const DataSplit& split, const std::stop_token& stop) {
    const Dataset& training = *split.training;
    std::vector<PreviewClass> classes(static_cast<std::size_t>(training.classCount()));
    // Does not count the classes of a text, because each sample of a text has many labels.
    if (classes.empty() || training.shape().isSequence) return {};
    for (const auto& part : {split.training, split.validation}) {
        for (std::int64_t i = 0; i < part->size(); ++i) {
            if (i % kLabelsBetweenChecks == 0 && stop.stop_requested()) return {};
            ++classes.at(static_cast<std::size_t>(part->label(i))).count;
        }
    }
    for (std::size_t label = 0; label < classes.size(); ++label) {
        classes[label].name = training.className(static_cast<std::int64_t>(label));
    }
    return classes;
}

// Returns pictures of some samples, sorted by class. The samples have equal distances in the data set, because the
// first samples of a data set that is sorted by class all have the same class.
std::vector<SamplePicture> picturesOf(const Dataset& data, const PictureColors& colors, const std::stop_token& stop) {
    std::vector<SamplePicture> pictures;
    const std::int64_t count = data.shape().isImage() ? std::min(kPictures, data.size()) : 0;
    std::vector<std::int64_t> samples;
    for (std::int64_t at = 0; at < count; ++at) samples.push_back(at * data.size() / count);
    if (data.classCount() > 0) std::ranges::stable_sort(samples, {}, [&](std::int64_t s) { return data.label(s); });
    for (const std::int64_t sample : samples) {
        if (stop.stop_requested()) break;
        QString caption;
        if (data.classCount() > 0) caption = QString::fromStdString(data.className(data.label(sample)));
        pictures.push_back({sampleImage(data, sample, colors, kPictureSide), caption});
    }
    return pictures;
}

}  // namespace

Result<CheckedData> checkData(const DatasetConfig& config, const PictureColors& colors, const std::stop_token& stop) {
    Result<DataSplit> split = loadDataset(config, {}, stop);
    if (!split) return split.problem();
    CheckedData checked{config, std::move(split).value(), {}, {}};
    checked.classes = countClasses(checked.split, stop);
    checked.pictures = picturesOf(*checked.split.training, colors, stop);
    return checked;
}

}  // namespace ringside
