// SPDX-License-Identifier: Apache-2.0
#include "data/sets/common/memory_dataset.h"

#include <algorithm>
#include <cmath>

namespace ringside {
namespace {

void copyRow(const std::vector<float>& rows, std::int64_t index, std::int64_t width, std::span<float> out) {
    RINGSIDE_ASSERT(static_cast<std::int64_t>(out.size()) == width);
    std::copy_n(rows.begin() + index * width, width, out.begin());
}

}  // namespace

MemoryDataset::MemoryDataset(SampleTable table) : m_table(std::move(table)) {
    const auto rows = [](const auto& vector, std::int64_t width) {
        return width == 0 ? std::int64_t{0} : static_cast<std::int64_t>(vector.size()) / width;
    };
    RINGSIDE_ASSERT(rows(m_table.features, m_table.shape.features) == m_table.size);
    RINGSIDE_ASSERT(m_table.targetCount > 0 ? rows(m_table.targets, m_table.targetCount) == m_table.size
                                            : rows(m_table.labels, 1) == m_table.size);
}

std::string MemoryDataset::className(std::int64_t label) const {
    RINGSIDE_ASSERT(label >= 0 && label < classCount());
    return m_table.classNames[static_cast<std::size_t>(label)];
}

std::string MemoryDataset::featureName(std::int64_t feature) const {
    const auto at = static_cast<std::size_t>(feature);
    return at < m_table.featureNames.size() ? m_table.featureNames[at] : std::string();
}

double MemoryDataset::unscaled(std::int64_t feature, float value) const {
    const auto at = static_cast<std::size_t>(feature);
    if (at >= m_table.scales.size()) return static_cast<double>(value);
    const FeatureScale& scale = m_table.scales[at];
    const double original = static_cast<double>(value) * scale.deviation + scale.mean;
    // Corrects the rounding of float32 near 0, so that 0 is displayed as 0.
    return std::abs(original) < 1e-6 * (std::abs(scale.mean) + scale.deviation) ? 0 : original;
}

void MemoryDataset::features(std::int64_t index, std::span<float> out) const {
    RINGSIDE_ASSERT(index >= 0 && index < m_table.size);
    copyRow(m_table.features, index, m_table.shape.features, out);
}

std::int64_t MemoryDataset::label(std::int64_t index) const {
    RINGSIDE_ASSERT(index >= 0 && index < m_table.size && !m_table.labels.empty());
    return m_table.labels[static_cast<std::size_t>(index)];
}

void MemoryDataset::targets(std::int64_t index, std::span<float> out) const {
    RINGSIDE_ASSERT(index >= 0 && index < m_table.size);
    copyRow(m_table.targets, index, m_table.targetCount, out);
}

}  // namespace ringside
