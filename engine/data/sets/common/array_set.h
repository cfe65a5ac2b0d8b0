// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "data/sets/common/dataset.h"

namespace ringside {

// A data set as its files divide it.
struct DataParts {
    std::shared_ptr<const Dataset> training;
    std::shared_ptr<const Dataset> validation;  // null: the files have no part of their own for it
    std::string note = {};                      // what was done to the samples, for the summary
};

// The kinds "idx" and "npy": an array of samples (sample first, then channels, height and width as far as there are
// any) and an array of labels (integers: classes) or targets (floating point). A set of images whose last dimension is
// 1, 3 or 4 is taken as height x width x channels. With no labelsPath the labels' file is guessed from the name
// (train-images-idx3-ubyte -> train-labels-idx1-ubyte, x_train.npy -> y_train.npy). For a training file whose test part
// lies beside it (t10k-..., x_test.npy) that part validates. path may be the directory of an MNIST-like set.
Result<DataParts> loadArraySet(const std::filesystem::path& path, const std::filesystem::path& labelsPath,
                               const std::stop_token& stop = {});

// What the guesses find on disk.
std::optional<std::filesystem::path> guessLabelsFile(const std::filesystem::path& samples);
std::optional<std::filesystem::path> guessTestFile(const std::filesystem::path& samples);
std::optional<std::filesystem::path> findSamplesFile(const std::filesystem::path& directory);

// How one sample of an array of this shape is seen. channelsLast: it must be transposed.
struct SampleLayout {
    SampleShape shape;
    bool channelsLast = false;
};
SampleLayout layoutOf(const std::vector<std::int64_t>& arrayShape);

}  // namespace ringside
