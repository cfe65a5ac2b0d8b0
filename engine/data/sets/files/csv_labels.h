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

// The label cells of a table, row by row. What they mean is decided when all are known: a label is missing when its
// cell is empty or "?", and, where all others are numbers, when it says NA, null and the like.
class CsvLabels {
  public:
    void add(const std::string& cell, std::size_t line);

    // After the last add().
    std::optional<std::size_t> firstMissingLine() const;
    void removeMissing(SampleTable& table);  // those rows
    std::optional<Problem> store(SampleTable& table, const std::string& column) const;

  private:
    struct Cell {
        std::string text;
        std::size_t line;  // where it first stands
    };

    bool allNumbers() const;  // those that no rule calls missing
    std::vector<bool> missing() const;
    std::optional<Problem> storeTextClasses(SampleTable& table, const std::string& column) const;
    void storeNumberClasses(SampleTable& table, const std::vector<float>& values) const;

    std::unordered_map<std::string, std::uint32_t> m_ids;
    std::vector<Cell> m_cells;
    std::vector<std::uint32_t> m_rows;  // a cell's place in m_cells
};

}  // namespace ringside
