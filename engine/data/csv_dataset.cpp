// SPDX-License-Identifier: Apache-2.0
#include "data/csv_dataset.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "base/files.h"
#include "base/json.h"
#include "data/csv_table.h"
#include "data/gzip.h"

namespace ringside {
namespace {

using Cells = std::vector<std::string>;

constexpr std::size_t kMaxValues = std::size_t{1} << 28;  // 1 GiB of float32

std::string shownCell(std::string_view cell) {
    if (cell.empty()) return "empty";
    const std::string text = std::string(cell.substr(0, 40)) + (cell.size() > 40 ? "..." : "");
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Every label cell as a number of its own; what the labels mean is decided when all are known.
class Labels {
  public:
    void add(const std::string& cell) {
        const auto [found, isNew] = m_ids.try_emplace(cell, static_cast<std::uint32_t>(m_cells.size()));
        if (isNew) m_cells.push_back(cell);
        m_rows.push_back(found->second);
    }

    std::optional<Problem> store(SampleTable& table, const std::string& column) const {
        std::vector<float> values;
        for (const std::string& cell : m_cells) {
            if (const auto value = cellNumber(cell)) values.push_back(*value);
        }
        if (values.size() < m_cells.size()) return storeTextClasses(table, column);
        const bool whole =
            std::ranges::all_of(values, [](float v) { return std::floor(v) == v && std::abs(v) < 1e7F; });
        if (whole && std::set(values.begin(), values.end()).size() <= kMaxNumericClasses) {
            storeNumberClasses(table, values);
        } else {
            table.targetCount = 1;
            for (const std::uint32_t id : m_rows) table.targets.push_back(values[id]);
        }
        return {};
    }

  private:
    std::optional<Problem> storeTextClasses(SampleTable& table, const std::string& column) const {
        if (m_cells.size() > kMaxClasses) {
            return Problem{column,
                           "has " + std::to_string(m_cells.size()) + " different texts; the most is 10000 classes",
                           "choose another dataset.label_column"};
        }
        std::map<std::string, float> order;
        for (const std::string& cell : m_cells) order.emplace(cell, 0.0F);
        float next = 0;
        for (auto& [name, number] : order) number = next++;
        std::vector<float> values;
        for (const std::string& cell : m_cells) values.push_back(order.at(cell));
        storeNumberClasses(table, values);
        std::ranges::transform(order, table.classNames.begin(), [](const auto& entry) { return entry.first; });
        return {};
    }

    // values[id] orders the classes; equal values ("1" and "1.0") are one class.
    void storeNumberClasses(SampleTable& table, const std::vector<float>& values) const {
        const std::set<float> distinct(values.begin(), values.end());
        std::map<float, std::int32_t> classOf;
        for (const float value : distinct) {
            classOf.emplace(value, static_cast<std::int32_t>(classOf.size()));
            table.classNames.push_back(std::to_string(static_cast<std::int64_t>(value)));
        }
        for (const std::uint32_t id : m_rows) table.labels.push_back(classOf.at(values[id]));
    }

    std::unordered_map<std::string, std::uint32_t> m_ids;
    Cells m_cells;
    std::vector<std::uint32_t> m_rows;
};

class CsvParser {
  public:
    CsvParser(std::string_view text, const std::string& what, const std::string& labelColumn)
        : m_reader(text, what), m_what(what), m_labelColumn(labelColumn) {}

    Result<SampleTable> parse() {
        if (auto problem = readStart()) return *problem;
        Cells cells;
        for (;;) {
            const Result<bool> more = m_reader.next(cells);
            if (!more) return more.problem();
            if (!more.value()) break;
            if (auto problem = addRow(cells, m_reader.line())) return *problem;
        }
        if (m_table.size < 2) {
            return Problem{m_what, "has too few rows of data (" + std::to_string(m_table.size) + "); the least is 2",
                           "add rows"};
        }
        if (auto problem = m_labels.store(m_table, m_what + " column " + columnName(m_label))) return *problem;
        return std::move(m_table);
    }

  private:
    // The first two records decide whether there is a header; both, or the second alone, are data.
    std::optional<Problem> readStart() {
        Cells first;
        Cells second;
        const Result<bool> hasFirst = m_reader.next(first);
        if (!hasFirst) return hasFirst.problem();
        if (!hasFirst.value()) return Problem{m_what, "is empty", "choose a file with at least 2 rows"};
        const std::size_t firstLine = m_reader.line();
        const Result<bool> hasSecond = m_reader.next(second);
        if (!hasSecond) return hasSecond.problem();
        if (!hasSecond.value()) return Problem{m_what, "has one row; the least is 2 rows of data", "add rows"};
        m_columns = first.size();
        const bool named = looksLikeHeader(first, second);
        if (named) m_names = first;
        if (auto problem = findLabelColumn()) return problem;
        m_table.shape.features = static_cast<std::int64_t>(m_columns - 1);
        if (!named) {
            if (auto problem = addRow(first, firstLine)) return problem;
        }
        return addRow(second, m_reader.line());
    }

    std::optional<Problem> findLabelColumn() {
        if (m_columns < 2)
            return Problem{m_what, "has one column; a label and at least one feature are needed", "add columns"};
        m_label = m_columns - 1;
        if (m_labelColumn.empty()) return {};
        if (const auto named = std::ranges::find(m_names, m_labelColumn); named != m_names.end()) {
            m_label = static_cast<std::size_t>(named - m_names.begin());
            return {};
        }
        const char* const end = m_labelColumn.data() + m_labelColumn.size();
        const auto [stop, error] = std::from_chars(m_labelColumn.data(), end, m_label);
        if (error == std::errc() && stop == end && m_label < m_columns) return {};
        return Problem{"dataset.label_column",
                       "is " + shownCell(m_labelColumn) + ", which " + m_what + " does not have" +
                           (m_names.empty() ? " (it has no header line)" : ""),
                       "name one of its columns, or give a number from 0 to " + std::to_string(m_columns - 1)};
    }

    std::optional<Problem> addRow(const Cells& cells, std::size_t line) {
        const std::string where = m_what + " line " + std::to_string(line);
        if (cells.size() != m_columns) {
            return Problem{
                where,
                "has " + std::to_string(cells.size()) + " cells, and the first line " + std::to_string(m_columns),
                "make all lines equally long"};
        }
        if (m_table.features.size() + m_columns > kMaxValues) {
            return Problem{m_what, "has more than 268435456 numbers", "use fewer rows or columns"};
        }
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const auto number = i == m_label ? std::nullopt : cellNumber(cells[i]);
            if (number) m_table.features.push_back(*number);
            if (!number && (i != m_label || cells[i].empty())) {
                return Problem{where + ", column " + columnName(i),
                               "is " + shownCell(cells[i]) +
                                   (i == m_label ? "; it must be a label" : "; it must be a finite number"),
                               "fill it in, or remove the line"};
            }
        }
        m_labels.add(cells[m_label]);
        ++m_table.size;
        return {};
    }

    std::string columnName(std::size_t column) const {
        return column < m_names.size() ? shownCell(m_names[column]) : std::to_string(column);
    }

    CsvReader m_reader;
    const std::string& m_what;
    const std::string& m_labelColumn;
    std::size_t m_columns = 0;
    std::size_t m_label = 0;
    Cells m_names;
    Labels m_labels;
    SampleTable m_table;
};

}  // namespace

Result<SampleTable> parseCsv(std::string_view text, const std::string& what, const std::string& labelColumn) {
    return CsvParser(text, what, labelColumn).parse();
}

Result<SampleTable> readCsv(const std::filesystem::path& path, const std::string& labelColumn) {
    Result<std::string> content = readFile(path, kMaxCsvBytes);
    if (!content) return content.problem();
    if (isGzip(content.value())) content = gunzip(content.value(), path.string(), kMaxCsvBytes);
    if (!content) return content.problem();
    return parseCsv(content.value(), path.string(), labelColumn);
}

}  // namespace ringside
