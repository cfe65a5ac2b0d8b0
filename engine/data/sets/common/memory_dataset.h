// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/sets/common/dataset.h"

namespace ringside {

// Standardization of a feature: value = (original - mean) / deviation.
struct FeatureScale {
    double mean = 0;
    double deviation = 1;
};

// Samples row by row, with either labels (one class number per sample) or targets (targetCount numbers per sample).
struct SampleTable {
    std::int64_t size = 0;
    SampleShape shape;
    std::vector<float> features = {};  // features of all samples: size x shape.features
    std::vector<std::int32_t> labels = {};
    std::vector<std::string> classNames = {};
    std::int64_t targetCount = 0;
    std::vector<float> targets = {};             // targets of all samples: size x targetCount
    std::vector<std::string> featureNames = {};  // names of the features; empty if they have none
    std::vector<FeatureScale> scales = {};       // scales of the features; empty if the values were not standardized
    std::int64_t rowsLeftOut = 0;                // number of rows of the file that were dropped because a value is
                                                 // missing
};

// Data set in memory: digits, CSV files and synthetic data.
class MemoryDataset final : public Dataset {
  public:
    explicit MemoryDataset(SampleTable table);

    std::int64_t size() const override { return m_table.size; }
    SampleShape shape() const override { return m_table.shape; }
    std::int64_t classCount() const override { return static_cast<std::int64_t>(m_table.classNames.size()); }
    std::int64_t targetCount() const override { return m_table.targetCount; }
    std::string className(std::int64_t label) const override;
    std::string featureName(std::int64_t feature) const override;
    double unscaled(std::int64_t feature, float value) const override;
    void features(std::int64_t index, std::span<float> out) const override;
    std::int64_t label(std::int64_t index) const override;
    void targets(std::int64_t index, std::span<float> out) const override;

  private:
    SampleTable m_table;
};

}  // namespace ringside
