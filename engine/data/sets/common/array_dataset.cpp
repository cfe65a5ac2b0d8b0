// SPDX-License-Identifier: Apache-2.0
#include "data/sets/common/array_dataset.h"

#include <algorithm>
#include <array>

namespace ringside {

float pixelValue(std::uint8_t byte) {
    static const std::array<float, 256> table = [] {
        std::array<float, 256> values{};
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) / 255.0F;
        return values;
    }();
    return table[byte];
}

ArrayDataset::ArrayDataset(ArrayContent content)
    : m_content(std::move(content)),
      m_size(static_cast<std::int64_t>(m_content.targetCount > 0
                                           ? m_content.targets.size() / static_cast<std::size_t>(m_content.targetCount)
                                           : m_content.labels.size())) {
    const auto count = std::visit([](const auto& values) { return values.size(); }, m_content.values);
    RINGSIDE_ASSERT(count == static_cast<std::size_t>(m_size * m_content.shape.features));
    if (const auto* floats = std::get_if<std::vector<float>>(&m_content.values);
        floats != nullptr && !floats->empty()) {
        const auto [least, most] = std::ranges::minmax(*floats);
        m_displayMinimum = least;
        m_displayMaximum = most > least ? most : least + 1;
    }
}

std::string ArrayDataset::className(std::int64_t label) const {
    const auto index = static_cast<std::size_t>(label);
    return label >= 0 && index < m_content.classNames.size() ? m_content.classNames[index] : Dataset::className(label);
}

void ArrayDataset::features(std::int64_t index, std::span<float> out) const {
    const auto width = static_cast<std::size_t>(m_content.shape.features);
    RINGSIDE_ASSERT(index >= 0 && index < m_size && out.size() == width);
    const std::size_t first = static_cast<std::size_t>(index) * width;
    if (const auto* bytes = std::get_if<std::vector<std::uint8_t>>(&m_content.values)) {
        std::ranges::transform(std::span(*bytes).subspan(first, width), out.begin(), pixelValue);
    } else {
        std::ranges::copy(std::span(std::get<std::vector<float>>(m_content.values)).subspan(first, width), out.begin());
    }
}

std::int64_t ArrayDataset::label(std::int64_t index) const {
    RINGSIDE_ASSERT(index >= 0 && index < static_cast<std::int64_t>(m_content.labels.size()));
    return m_content.labels[static_cast<std::size_t>(index)];
}

void ArrayDataset::targets(std::int64_t index, std::span<float> out) const {
    const auto width = static_cast<std::size_t>(m_content.targetCount);
    RINGSIDE_ASSERT(index >= 0 && index < m_size && out.size() == width);
    std::ranges::copy(std::span(m_content.targets).subspan(static_cast<std::size_t>(index) * width, width),
                      out.begin());
}

}  // namespace ringside
