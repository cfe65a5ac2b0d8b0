// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "data/sets/common/dataset.h"

namespace ringside {

// Training samples of a data set, and validation samples if its files contain them separately.
struct DataParts {
    std::shared_ptr<const Dataset> training;
    std::shared_ptr<const Dataset> validation;  // validation samples; null if the files contain none
    std::string note = {};                      // changes made to the samples, as text for the summary
};

// Loads the kinds "idx" and "npy": an array of samples (sample first, then channels, height and width as far as
// present) and an array of labels (integers: classes) or targets (floating point).
//
// Images whose last dimension is 1, 3 or 4 are read as height x width x channels. Without labelsPath the name of the
// labels file is guessed (train-images-idx3-ubyte -> train-labels-idx1-ubyte, x_train.npy -> y_train.npy). If the test
// part lies beside the training file (t10k-..., x_test.npy), it is the validation part. `path` may be the directory of
// an MNIST-like set.
Result<DataParts> loadArraySet(const std::filesystem::path& path, const std::filesystem::path& labelsPath,
                               const std::stop_token& stop = {});

// The following functions guess the name of a file from the name of the samples file. They return the path if such a
// file exists, otherwise an empty value.
std::optional<std::filesystem::path> guessLabelsFile(const std::filesystem::path& samples);
std::optional<std::filesystem::path> guessTestFile(const std::filesystem::path& samples);
std::optional<std::filesystem::path> findSamplesFile(const std::filesystem::path& directory);

// Shape of one sample of an array. channelsLast: the array stores height x width x channels, and the samples must be
// transposed to channels x height x width.
struct SampleLayout {
    SampleShape shape;
    bool channelsLast = false;
};
// Returns the layout of one sample of an array with this shape; the first dimension counts the samples.
SampleLayout layoutOf(const std::vector<std::int64_t>& arrayShape);

}  // namespace ringside
