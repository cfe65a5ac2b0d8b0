// SPDX-License-Identifier: Apache-2.0
#include "data/sets/common/array_set.h"

#include <algorithm>
#include <limits>

#include "data/sets/common/array_dataset.h"

namespace ringside {
namespace {

using std::filesystem::path;

bool looksLikeChannels(std::int64_t size) {
    return size == 1 || size == 3 || size == 4;
}

template <class T>
void moveChannelsFirst(std::vector<T>& values, const SampleShape& shape) {
    const auto width = static_cast<std::size_t>(shape.features);
    const auto channels = static_cast<std::size_t>(shape.channels);
    const std::size_t pixels = width / channels;
    std::vector<T> sample(width);
    for (std::size_t first = 0; first < values.size(); first += width) {
        for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
            for (std::size_t channel = 0; channel < channels; ++channel) {
                sample[channel * pixels + pixel] = values[first + pixel * channels + channel];
            }
        }
        std::ranges::copy(sample, values.begin() + static_cast<std::ptrdiff_t>(first));
    }
}

Result<ArrayContent> readSamples(const path& file, const std::stop_token& stop) {
    auto array = ArrayFile::open(file, stop);
    if (!array) return array.problem();
    const std::vector<std::int64_t>& sizes = array.value().header.shape;
    if (array.value().header.valueCount() == 0 || sizes.empty()) {
        return Problem{file.string(), "holds no samples (" + array.value().header.shapeText() + ")",
                       "choose a file with an array of samples x values"};
    }
    if (sizes[0] > std::numeric_limits<std::int32_t>::max()) {
        return Problem{file.string(), "holds " + std::to_string(sizes[0]) + " samples; the maximum is 2147483647",
                       "split the data set"};
    }
    const SampleLayout layout = layoutOf(sizes);
    ArrayContent content;
    content.shape = layout.shape;
    auto values = array.value().readValues();
    if (!values) return values.problem();
    content.values = std::move(values).value();
    if (layout.channelsLast) {
        std::visit([&](auto& inner) { moveChannelsFirst(inner, layout.shape); }, content.values);
    }
    return content;
}

Problem badLabel(const path& file, std::size_t sample, std::int64_t label) {
    if (label < 0) {
        return {
            file.string(),
            "gives sample " + std::to_string(sample) + " the label " + std::to_string(label) + "; labels count from 0",
            "number the classes 0, 1, 2, ... and save again"};
    }
    return {file.string(),
            "gives sample " + std::to_string(sample) + " the label " + std::to_string(label) + "; the maximum is " +
                std::to_string(kMaxLabelClasses - 1),
            "number the classes 0, 1, 2, ...; save numbers to predict as floating point"};
}

Result<bool> addClasses(ArrayFile& array, const path& file, ArrayContent& content) {
    auto labels = array.readIntegers();
    if (!labels) return labels.problem();
    content.labels.reserve(labels.value().size());
    for (const std::int64_t label : labels.value()) {
        if (label < 0 || label >= kMaxLabelClasses) return badLabel(file, content.labels.size(), label);
        content.labels.push_back(static_cast<std::int32_t>(label));
        content.classCount = std::max(content.classCount, label + 1);
    }
    return true;
}

// Reads the labels of n samples: n or n x 1 integers are classes, n or n x k floating-point numbers are targets.
Result<bool> addLabels(const path& file, std::int64_t sampleCount, const std::stop_token& stop, ArrayContent& content) {
    auto array = ArrayFile::open(file, stop);
    if (!array) return array.problem();
    const ArrayHeader& header = array.value().header;
    if (header.shape.empty() || header.shape[0] != sampleCount) {
        return Problem{file.string(),
                       "labels " + (header.shape.empty() ? "1" : std::to_string(header.shape[0])) +
                           " samples, but there are " + std::to_string(sampleCount),
                       "choose the labels that belong to the samples"};
    }
    const std::uint64_t width = header.valueCount() / static_cast<std::uint64_t>(sampleCount);
    const bool targets = header.type == ElementType::kF32 || header.type == ElementType::kF64;
    if (width == 0 || (!targets && width > 1) || width > 1000000) {
        return Problem{file.string(),
                       "is " + header.shapeText() + " values of " + elementName(header.type) +
                           "; labels must be one integer per sample",
                       "save one-hot labels as a.argmax(1), and numbers to predict as floating point"};
    }
    if (!targets) return addClasses(array.value(), file, content);
    auto values = array.value().readValues();
    if (!values) return values.problem();
    content.targets = std::get<std::vector<float>>(std::move(values).value());
    content.targetCount = static_cast<std::int64_t>(width);
    return true;
}

Result<ArrayContent> readPart(const path& samples, const path& labelsPath, const std::stop_token& stop) {
    // Checks the samples file first, so that its errors are reported before those of missing labels.
    if (auto probe = ArrayFile::open(samples); !probe) return probe.problem();
    path labels = labelsPath;
    if (labels.empty()) {
        const auto guess = guessLabelsFile(samples);
        if (!guess) {
            return Problem{"dataset.labels_path",
                           "is empty, and no file next to " + samples.string() + " has the usual name of its labels",
                           "name the file with the labels"};
        }
        labels = *guess;
    }
    auto content = readSamples(samples, stop);
    if (!content) return content;
    const auto count = std::visit([](const auto& values) { return values.size(); }, content.value().values);
    const auto size = static_cast<std::int64_t>(count) / content.value().shape.features;
    if (auto added = addLabels(labels, size, stop, content.value()); !added) return added.problem();
    return content;
}

Result<bool> checkAgreement(const path& testFile, const ArrayContent& training, const ArrayContent& test) {
    const bool same = training.shape.features == test.shape.features && training.targetCount == test.targetCount &&
                      training.values.index() == test.values.index();
    if (same) return true;
    return Problem{testFile.string(),
                   "contains validation samples, but they do not match the training samples (" +
                       std::to_string(test.shape.features) + " values per sample instead of " +
                       std::to_string(training.shape.features) + ")",
                   "move it elsewhere if it does not belong to the data set"};
}

}  // namespace

SampleLayout layoutOf(const std::vector<std::int64_t>& arrayShape) {
    SampleLayout layout;
    SampleShape& shape = layout.shape;
    shape.features = 1;
    // The header of an array without samples may contain any sizes, so their product can overflow.
    for (std::size_t i = 1; i < arrayShape.size(); ++i) {
        if (__builtin_mul_overflow(shape.features, arrayShape[i], &shape.features)) shape.features = 0;
    }
    if (arrayShape.size() == 3) {
        shape.height = arrayShape[1];
        shape.width = arrayShape[2];
    } else if (arrayShape.size() == 4) {
        layout.channelsLast = looksLikeChannels(arrayShape[3]) && !looksLikeChannels(arrayShape[1]);
        shape.channels = layout.channelsLast ? arrayShape[3] : arrayShape[1];
        shape.height = layout.channelsLast ? arrayShape[1] : arrayShape[2];
        shape.width = layout.channelsLast ? arrayShape[2] : arrayShape[3];
    }
    return layout;
}

Result<DataParts> loadArraySet(const path& givenPath, const path& labelsPath, const std::stop_token& stop) {
    path samples = givenPath;
    std::error_code ignored;
    if (std::filesystem::is_directory(givenPath, ignored)) {
        const auto found = findSamplesFile(givenPath);
        if (!found) {
            return Problem{givenPath.string(), "is a directory without an IDX file of images (train-images-idx3-ubyte)",
                           "give the path of the file with the samples"};
        }
        samples = *found;
    }
    auto training = readPart(samples, labelsPath, stop);
    if (!training) return training.problem();
    DataParts parts;
    // A file of test samples is used only if its labels file exists and dataset.labels_path is empty.
    const auto test = labelsPath.empty() ? guessTestFile(samples) : std::nullopt;
    if (test && guessLabelsFile(*test)) {
        auto validation = readPart(*test, {}, stop);
        if (!validation) return validation.problem();
        if (auto same = checkAgreement(*test, training.value(), validation.value()); !same) return same.problem();
        const auto classes = std::max(training.value().classCount, validation.value().classCount);
        training.value().classCount = validation.value().classCount = classes;
        parts.validation = std::make_shared<ArrayDataset>(std::move(validation).value());
    }
    parts.training = std::make_shared<ArrayDataset>(std::move(training).value());
    return parts;
}

}  // namespace ringside
