// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "data/sets/common/dataset.h"

namespace ringside::testing {

// Data set whose samples have only a class.
class LabelledSet : public Dataset {
  public:
    LabelledSet(std::vector<std::int64_t> labels, std::int64_t classes)
        : m_labels(std::move(labels)), m_classes(classes) {}

    std::int64_t size() const override { return static_cast<std::int64_t>(m_labels.size()); }
    SampleShape shape() const override { return {}; }
    std::int64_t classCount() const override { return m_classes; }
    std::int64_t targetCount() const override { return 0; }
    void features(std::int64_t, std::span<float>) const override {}
    std::int64_t label(std::int64_t index) const override { return m_labels[static_cast<std::size_t>(index)]; }
    void targets(std::int64_t, std::span<float>) const override {}

  private:
    std::vector<std::int64_t> m_labels;
    std::int64_t m_classes;
};

inline std::shared_ptr<const Dataset> labelledSet(std::vector<std::int64_t> labels, std::int64_t classes) {
    return std::make_shared<LabelledSet>(std::move(labels), classes);
}

}  // namespace ringside::testing
