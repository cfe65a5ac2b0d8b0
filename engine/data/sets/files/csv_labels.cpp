// SPDX-License-Identifier: Apache-2.0
#include "data/sets/files/csv_labels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "data/readers/csv_table.h"

namespace ringside {

void CsvLabels::add(const std::string& cell, std::size_t line) {
    const auto [found, isNew] = m_ids.try_emplace(cell, static_cast<std::uint32_t>(m_cells.size()));
    if (isNew) m_cells.push_back({cell, line});
    m_rows.push_back(found->second);
}

bool CsvLabels::allNumbers() const {
    bool any = false;
    for (const Cell& cell : m_cells) {
        if (isMissingCell(cell.text)) continue;
        if (!cellNumber(cell.text)) return false;
        any = true;
    }
    return any;
}

std::vector<bool> CsvLabels::missing() const {
    const bool numbers = allNumbers();
    std::vector<bool> missing;
    for (const Cell& cell : m_cells) {
        missing.push_back(cell.text.empty() || cell.text == "?" || (numbers && isMissingCell(cell.text)));
    }
    return missing;
}

std::optional<std::size_t> CsvLabels::firstMissingLine() const {
    std::optional<std::size_t> line;
    const std::vector<bool> missing = this->missing();
    for (std::size_t id = 0; id < m_cells.size(); ++id) {
        if (missing[id]) line = std::min(line.value_or(m_cells[id].line), m_cells[id].line);
    }
    return line;
}

void CsvLabels::removeMissing(SampleTable& table) {
    const std::vector<bool> missing = this->missing();
    const auto width = static_cast<std::ptrdiff_t>(table.shape.features);
    std::vector<std::uint32_t> kept;
    for (std::size_t row = 0; row < m_rows.size(); ++row) {
        if (missing[m_rows[row]]) continue;
        const auto from = table.features.begin() + static_cast<std::ptrdiff_t>(row) * width;
        std::copy_n(from, width, table.features.begin() + static_cast<std::ptrdiff_t>(kept.size()) * width);
        kept.push_back(m_rows[row]);
    }
    table.rowsLeftOut += static_cast<std::int64_t>(m_rows.size() - kept.size());
    table.size = static_cast<std::int64_t>(kept.size());
    table.features.resize(kept.size() * static_cast<std::size_t>(width));
    m_rows = std::move(kept);
}

std::optional<Problem> CsvLabels::store(SampleTable& table, const std::string& column) const {
    const std::vector<bool> missing = this->missing();
    if (!allNumbers()) return storeTextClasses(table, column);
    std::vector<float> values;  // one value for each cell; values of missing labels are unused
    std::set<float> distinct;
    bool whole = true;
    for (std::size_t id = 0; id < m_cells.size(); ++id) {
        const float value = cellNumber(m_cells[id].text).value_or(std::numeric_limits<float>::quiet_NaN());
        values.push_back(value);
        if (missing[id]) continue;
        whole = whole && std::floor(value) == value && std::abs(value) < 1e7F;
        if (whole && distinct.size() <= kMaxNumericClasses) distinct.insert(value);
    }
    if (whole && distinct.size() <= kMaxNumericClasses) {
        storeNumberClasses(table, values);
    } else {
        table.targetCount = 1;
        for (const std::uint32_t id : m_rows) table.targets.push_back(values[id]);
    }
    return {};
}

std::optional<Problem> CsvLabels::storeTextClasses(SampleTable& table, const std::string& column) const {
    const std::vector<bool> missing = this->missing();
    const auto count = static_cast<std::size_t>(std::ranges::count(missing, false));
    if (count > kMaxClasses) {
        return Problem{column, "has " + std::to_string(count) + " distinct texts; the maximum is 10000 classes",
                       "choose another dataset.label_column"};
    }
    std::map<std::string, float> order;
    for (std::size_t id = 0; id < m_cells.size(); ++id) {
        if (!missing[id]) order.emplace(m_cells[id].text, 0.0F);
    }
    float next = 0;
    for (auto& [name, number] : order) number = next++;
    std::vector<float> values;
    for (const Cell& cell : m_cells) {
        const auto found = order.find(cell.text);
        values.push_back(found == order.end() ? std::numeric_limits<float>::quiet_NaN() : found->second);
    }
    storeNumberClasses(table, values);
    std::ranges::transform(order, table.classNames.begin(), [](const auto& entry) { return entry.first; });
    return {};
}

// Stores the labels as class numbers; requires that all labels are numbers. Each distinct number is a class, and the
// classes are numbered in ascending order. `values` holds the number of each distinct cell; it is NaN for a missing
// label, which gets no class. Cells with equal numbers ("1" and "1.0") are one class.
void CsvLabels::storeNumberClasses(SampleTable& table, const std::vector<float>& values) const {
    std::map<float, std::int32_t> classOf;
    for (const float value : values) {
        if (!std::isnan(value)) classOf.emplace(value, 0);
    }
    for (auto& [value, number] : classOf) {
        number = static_cast<std::int32_t>(table.classNames.size());
        table.classNames.push_back(std::to_string(static_cast<std::int64_t>(value)));
    }
    for (const std::uint32_t id : m_rows) table.labels.push_back(classOf.at(values[id]));
}

}  // namespace ringside
