// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/sets/common/dataset.h"

namespace ringside {

// Subset of another data set, as torch.utils.data.Subset: sample i is sample indices[i] of `whole`.
class SubsetDataset final : public Dataset {
  public:
    SubsetDataset(std::shared_ptr<const Dataset> whole, std::vector<std::uint32_t> indices);

    std::int64_t size() const override { return static_cast<std::int64_t>(m_indices.size()); }
    SampleShape shape() const override { return m_whole->shape(); }
    std::int64_t classCount() const override { return m_whole->classCount(); }
    std::int64_t targetCount() const override { return m_whole->targetCount(); }
    std::string className(std::int64_t label) const override { return m_whole->className(label); }
    void features(std::int64_t index, std::span<float> out) const override { m_whole->features(original(index), out); }
    std::int64_t label(std::int64_t index) const override { return m_whole->label(original(index)); }
    void targets(std::int64_t index, std::span<float> out) const override { m_whole->targets(original(index), out); }
    std::string featureName(std::int64_t feature) const override { return m_whole->featureName(feature); }
    double unscaled(std::int64_t feature, float value) const override { return m_whole->unscaled(feature, value); }
    bool isLazy() const override { return m_whole->isLazy(); }
    void labels(std::int64_t index, std::span<std::int64_t> out) const override {
        m_whole->labels(original(index), out);
    }
    std::string text(std::int64_t index) const override { return m_whole->text(original(index)); }
    float displayMinimum() const override { return m_whole->displayMinimum(); }
    float displayMaximum() const override { return m_whole->displayMaximum(); }

    std::int64_t original(std::int64_t index) const;

  private:
    std::shared_ptr<const Dataset> m_whole;
    std::vector<std::uint32_t> m_indices;
};

}  // namespace ringside
