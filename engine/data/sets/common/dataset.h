// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/errors/result.h"
#include "config/run_config.h"
#include "sampling/plan/class_labels.h"

namespace ringside {

// Shape and meaning of the values of one sample.
struct SampleShape {
    std::int64_t channels = 1;
    std::int64_t height = 0;  // height of the image; 0 if the samples are not images
    std::int64_t width = 0;
    std::int64_t features = 0;  // values per sample = channels * height * width for images
    // true: the features are token numbers; the label of each token is the token that follows
    bool isSequence = false;

    bool isImage() const { return height > 0; }
    // Returns the number of labels per sample, if there are classes.
    std::int64_t labels() const { return isSequence ? features : 1; }
};

// Samples by index: float32 features and either class labels or regression targets. Immutable after loading, so const
// methods are callable from any thread.
class Dataset : public ClassLabels {
  public:
    virtual SampleShape shape() const = 0;
    virtual std::int64_t targetCount() const = 0;  // returns the number of targets per sample; 0 for classification
    virtual std::string className(std::int64_t label) const { return std::to_string(label); }
    // Returns the name of a feature (a column of the table) for display; empty if features have no names.
    virtual std::string featureName(std::int64_t) const { return {}; }
    // Returns a feature's value before standardization, as in the file.
    virtual double unscaled(std::int64_t /*feature*/, float value) const { return static_cast<double>(value); }

    // Copies the features of one sample to `out`, which has shape().features values.
    virtual void features(std::int64_t index, std::span<float> out) const = 0;
    // Copies the targets of one sample to `out`, which has targetCount() values. For regression only.
    virtual void targets(std::int64_t index, std::span<float> out) const = 0;
    // True if reading features takes file access or much computing time. If true, the GUI thread must not read them.
    virtual bool isLazy() const { return false; }
    // Copies the labels of one sample to `out`, which has shape().labels() values.
    virtual void labels(std::int64_t index, std::span<std::int64_t> out) const { out[0] = label(index); }
    // Returns a sample as UTF-8 text for display; empty if samples are not texts.
    virtual std::string text(std::int64_t /*index*/) const { return {}; }
    // Returns the range of feature values before normalization, for drawing thumbnails.
    virtual float displayMinimum() const { return 0; }
    virtual float displayMaximum() const { return 1; }
};

// Training and validation part of a data set, with a summary for display.
struct DataSplit {
    std::shared_ptr<const Dataset> training;
    std::shared_ptr<const Dataset> validation;
    std::string summary;  // description, such as "1,437 training, 360 validation samples, 8 x 8"
};

// Loads the data set of a configuration and splits it like torch.utils.data.random_split: randperm(n), seeded with
// dataset.splitSeed, gives the order, whose first part is used for training. Relative paths are resolved against
// baseDirectory. Soon after a stop request on `stop`, returns a problem.
Result<DataSplit> loadDataset(const DatasetConfig& config, const std::filesystem::path& baseDirectory = {},
                              const std::stop_token& stop = {});

}  // namespace ringside
