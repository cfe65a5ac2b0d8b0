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

// What one sample looks like.
struct SampleShape {
    std::int64_t channels = 1;
    std::int64_t height = 0;  // 0: not an image
    std::int64_t width = 0;
    std::int64_t features = 0;  // values per sample = channels * height * width for images
    bool isSequence = false;    // features are token numbers, and each has a label of its own: the token after it

    bool isImage() const { return height > 0; }
    std::int64_t labels() const { return isSequence ? features : 1; }  // of a sample that has classes
};

// Samples by index, float32 features and either a class label or regression targets. Immutable after loading, so
// that any thread may read it.
class Dataset : public ClassLabels {
  public:
    virtual SampleShape shape() const = 0;
    virtual std::int64_t targetCount() const = 0;  // width of the targets, 0 for classification
    virtual std::string className(std::int64_t label) const { return std::to_string(label); }
    // A table's column, for people; empty where features have no names. And a feature's value as the file has it.
    virtual std::string featureName(std::int64_t) const { return {}; }
    virtual double unscaled(std::int64_t /*feature*/, float value) const { return static_cast<double>(value); }

    // Copies one sample's features (shape().features values) to out.
    virtual void features(std::int64_t index, std::span<float> out) const = 0;
    virtual void targets(std::int64_t index, std::span<float> out) const = 0;  // regression
    // Reading a sample's features takes file access or much arithmetic, so that a thread that draws must not do it.
    virtual bool isLazy() const { return false; }
    // All of a sample's labels, shape().labels() of them.
    virtual void labels(std::int64_t index, std::span<std::int64_t> out) const { out[0] = label(index); }
    // A sample of a text as people read it, UTF-8; empty where samples are no texts.
    virtual std::string text(std::int64_t /*index*/) const { return {}; }
    // Range of raw feature values for drawing thumbnails.
    virtual float displayMinimum() const { return 0; }
    virtual float displayMaximum() const { return 1; }
};

struct DataSplit {
    std::shared_ptr<const Dataset> training;
    std::shared_ptr<const Dataset> validation;
    std::string summary;  // "1,437 training, 360 validation samples, 8 x 8"
};

// Loads and splits what the configuration names: order = randperm(n) from dataset.splitSeed, the first part trains
// (as torch.utils.data.random_split). Relative paths start at baseDirectory. When `stop` is asked for, long reading
// ends soon, with a problem.
Result<DataSplit> loadDataset(const DatasetConfig& config, const std::filesystem::path& baseDirectory = {},
                              const std::stop_token& stop = {});

}  // namespace ringside
