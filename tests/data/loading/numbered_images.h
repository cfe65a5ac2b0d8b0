// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>

#include "data/sets/common/dataset.h"

namespace ringside::testing {

// Images with consecutive values: sample i starts with the value i * (values per sample). onLoad observes every load.
class NumberedImages final : public Dataset {
  public:
    NumberedImages(std::int64_t size, SampleShape shape) : m_size(size), m_shape(shape) {}

    std::int64_t size() const override { return m_size; }
    SampleShape shape() const override { return m_shape; }
    std::int64_t classCount() const override { return 10; }
    std::int64_t targetCount() const override { return 0; }
    std::int64_t label(std::int64_t index) const override { return index % 10; }
    void targets(std::int64_t, std::span<float>) const override {}
    void features(std::int64_t index, std::span<float> out) const override {
        if (onLoad) onLoad(index);
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = static_cast<float>(index * m_shape.features + static_cast<std::int64_t>(i));
    }

    std::function<void(std::int64_t index)> onLoad;  // called for each load, in the loading thread

  private:
    std::int64_t m_size;
    SampleShape m_shape;
};

inline constexpr SampleShape kSmallImage{.channels = 2, .height = 3, .width = 4, .features = 24};

}  // namespace ringside::testing
