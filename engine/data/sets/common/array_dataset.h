// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "data/readers/array_file.h"
#include "data/sets/common/dataset.h"

namespace ringside {

inline constexpr std::int64_t kMaxLabelClasses = 100000;

// Content of an ArrayDataset: samples with either labels or targets. Channels come first, as in PyTorch.
struct ArrayContent {
    SampleShape shape;
    ArrayValues values;  // values of all samples: size x shape.features
    std::vector<std::int32_t> labels;
    std::int64_t classCount = 0;
    std::vector<std::string> classNames;  // names of the classes; may be fewer than classCount
    std::vector<float> targets;           // targets of all samples: size x targetCount
    std::int64_t targetCount = 0;
};

// Data set in memory. Bytes are pixels, returned as value / 255 as by torchvision's ToTensor; other values are returned
// unchanged.
class ArrayDataset final : public Dataset {
  public:
    explicit ArrayDataset(ArrayContent content);

    std::int64_t size() const override { return m_size; }
    SampleShape shape() const override { return m_content.shape; }
    std::int64_t classCount() const override { return m_content.classCount; }
    std::int64_t targetCount() const override { return m_content.targetCount; }
    std::string className(std::int64_t label) const override;
    void features(std::int64_t index, std::span<float> out) const override;
    std::int64_t label(std::int64_t index) const override;
    void targets(std::int64_t index, std::span<float> out) const override;
    float displayMinimum() const override { return m_displayMinimum; }
    float displayMaximum() const override { return m_displayMaximum; }

  private:
    ArrayContent m_content;
    std::int64_t m_size;
    float m_displayMinimum = 0;
    float m_displayMaximum = 1;
};

// Returns the value of a pixel between 0 and 1: byte / 255 in float32.
float pixelValue(std::uint8_t byte);

}  // namespace ringside
