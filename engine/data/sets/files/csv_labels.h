// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "data/sets/common/memory_dataset.h"

namespace ringside {

inline constexpr std::size_t kMaxClasses = 10000;
inline constexpr std::size_t kMaxNumericClasses = 1000;

// Label cells of a table, row by row. The kind of the labels is determined when all cells are known. A label is missing
// if its cell is empty or "?". If all other cells are numbers, words such as NA and null are missing labels, too.
class CsvLabels {
  public:
    void add(const std::string& cell, std::size_t line);

    // The following functions may be called only after the last add().
    std::optional<std::size_t> firstMissingLine() const;
    void removeMissing(SampleTable& table);  // removes the rows whose label is missing
    std::optional<Problem> store(SampleTable& table, const std::string& column) const;

  private:
    struct Cell {
        std::string text;
        std::size_t line;  // line of the first cell with this text
    };

    bool allNumbers() const;  // returns true if all cells that are not missing are numbers
    std::vector<bool> missing() const;
    std::optional<Problem> storeTextClasses(SampleTable& table, const std::string& column) const;
    void storeNumberClasses(SampleTable& table, const std::vector<float>& values) const;

    std::unordered_map<std::string, std::uint32_t> m_ids;
    std::vector<Cell> m_cells;
    std::vector<std::uint32_t> m_rows;  // index in m_cells of the label of each row
};

}  // namespace ringside
