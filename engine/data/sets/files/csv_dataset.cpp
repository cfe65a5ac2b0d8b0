// SPDX-License-Identifier: Apache-2.0
#include "data/sets/files/csv_dataset.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "base/json/json_members.h"
#include "data/readers/byte_source.h"
#include "data/readers/csv_table.h"
#include "data/readers/text_file.h"
#include "data/sets/files/csv_labels.h"

namespace ringside {
namespace {

using Cells = std::vector<std::string>;

constexpr std::size_t kMaxValues = std::size_t{1} << 28;  // maximum number of values: 1 GiB of float32
constexpr std::int64_t kRowsBetweenChecks = 4096;         // rows between checks of the stop token

std::string shownCell(std::string_view cell) {
    if (cell.empty()) return "empty";
    const std::string text = std::string(cell.substr(0, 40)) + (cell.size() > 40 ? "..." : "");
    return jsonText(Json(text));
}

class CsvParser {
  public:
    CsvParser(std::string_view text, const std::string& what, const DatasetConfig& config, const std::stop_token& stop)
        : m_reader(text, what), m_what(what), m_config(config), m_stop(stop) {}

    Result<SampleTable> parse() {
        if (auto problem = readStart()) return *problem;
        Cells cells;
        for (;;) {
            const Result<bool> more = m_reader.next(cells);
            if (!more) return more.problem();
            if (!more.value()) break;
            if (auto problem = addRow(cells, m_reader.line())) return *problem;
            if (m_table.size % kRowsBetweenChecks == 0 && m_stop.stop_requested()) return stoppedReading(m_what);
        }
        if (auto problem = settleMissingLabels()) return *problem;
        if (m_table.size < 2) return tooFewRows();
        if (auto problem = m_labels.store(m_table, m_what + " column " + columnName(m_label))) return *problem;
        return std::move(m_table);
    }

  private:
    // Reads the first two records and determines from them whether the first one is a header. Adds the records that are
    // data.
    std::optional<Problem> readStart() {
        Cells first;
        Cells second;
        const Result<bool> hasFirst = m_reader.next(first);
        if (!hasFirst) return hasFirst.problem();
        if (!hasFirst.value()) return Problem{m_what, "is empty", "choose a file with at least 2 rows"};
        const std::size_t firstLine = m_reader.line();
        const Result<bool> hasSecond = m_reader.next(second);
        if (!hasSecond) return hasSecond.problem();
        if (!hasSecond.value()) return Problem{m_what, "has one row; the minimum is 2 rows of data", "add rows"};
        m_columns = first.size();
        const bool named =
            m_config.header == CsvHeader::kYes || (m_config.header != CsvHeader::kNo && looksLikeHeader(first, second));
        if (named) m_names = first;
        if (auto problem = findLabelColumn()) return problem;
        m_table.shape.features = static_cast<std::int64_t>(m_columns - 1);
        nameFeatures();
        if (!named) {
            if (auto problem = addRow(first, firstLine)) return problem;
        }
        return addRow(second, m_reader.line());
    }

    void nameFeatures() {
        for (std::size_t i = 0; i < m_columns; ++i) {
            if (i == m_label) continue;
            const bool named = i < m_names.size() && !m_names[i].empty();
            m_table.featureNames.push_back(named ? m_names[i].substr(0, 200) : "column " + std::to_string(i));
        }
    }

    bool dropsMissing() const { return m_config.missing == MissingCells::kDrop; }

    std::optional<Problem> settleMissingLabels() {
        const auto line = m_labels.firstMissingLine();
        if (!line) return {};
        if (dropsMissing()) {
            m_labels.removeMissing(m_table);
            return {};
        }
        return Problem{lineName(*line) + ", column " + columnName(m_label), "has no label",
                       "fill in the label, or set dataset.missing to drop"};
    }

    Problem tooFewRows() const {
        const std::string count = "has too few rows of data (" + std::to_string(m_table.size) + ")";
        if (m_table.rowsLeftOut == 0) return {m_what, count + "; the minimum is 2", "add rows"};
        return {m_what, count + " after leaving out " + std::to_string(m_table.rowsLeftOut) + " with a missing value",
                "set dataset.missing to mean, or remove the columns that are mostly empty"};
    }

    std::optional<Problem> findLabelColumn() {
        if (m_columns < 2)
            return Problem{m_what, "has one column; a label and at least one feature are needed", "add columns"};
        m_label = m_columns - 1;
        if (m_config.labelColumn.empty()) return {};
        if (const auto named = std::ranges::find(m_names, m_config.labelColumn); named != m_names.end()) {
            m_label = static_cast<std::size_t>(named - m_names.begin());
            return {};
        }
        const char* const end = m_config.labelColumn.data() + m_config.labelColumn.size();
        const auto [stop, error] = std::from_chars(m_config.labelColumn.data(), end, m_label);
        if (error == std::errc() && stop == end && m_label < m_columns) return {};
        return Problem{"dataset.label_column",
                       "is " + shownCell(m_config.labelColumn) + ", which " + m_what + " does not have" +
                           (m_names.empty() ? " (it has no header line)" : ""),
                       "name one of its columns, or give a number from 0 to " + std::to_string(m_columns - 1)};
    }

    std::optional<Problem> addRow(const Cells& cells, std::size_t line) {
        if (cells.size() != m_columns) {
            return Problem{
                lineName(line),
                "has " + std::to_string(cells.size()) + " cells, but the first line has " + std::to_string(m_columns),
                "make all lines equally long"};
        }
        if (m_table.features.size() + m_columns > kMaxValues) {
            return Problem{m_what, "has more than 268435456 numbers", "use fewer rows or columns"};
        }
        const std::size_t before = m_table.features.size();
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (i == m_label) continue;
            if (const auto number = cellNumber(cells[i])) {
                m_table.features.push_back(*number);
            } else if (m_config.missing == MissingCells::kRefuse || !isMissingCell(cells[i])) {
                return badCell(line, i, cells[i]);
            } else if (dropsMissing()) {
                m_table.features.resize(before);
                ++m_table.rowsLeftOut;
                return {};
            } else {
                m_table.features.push_back(std::numeric_limits<float>::quiet_NaN());
            }
        }
        m_labels.add(cells[m_label], line);
        ++m_table.size;
        return {};
    }

    std::string lineName(std::size_t line) const { return m_what + " line " + std::to_string(line); }

    Problem badCell(std::size_t line, std::size_t column, const std::string& cell) const {
        return {lineName(line) + ", column " + columnName(column),
                "is " + shownCell(cell) + "; it must be a finite number",
                isMissingCell(cell) ? "fill in the value, or set dataset.missing to drop or mean"
                                    : "correct the value, or remove the line"};
    }

    std::string columnName(std::size_t column) const {
        return column < m_names.size() ? shownCell(m_names[column]) : std::to_string(column);
    }

    CsvReader m_reader;
    const std::string& m_what;
    const DatasetConfig& m_config;
    const std::stop_token& m_stop;
    std::size_t m_columns = 0;
    std::size_t m_label = 0;
    Cells m_names;
    CsvLabels m_labels;
    SampleTable m_table;
};

}  // namespace

Result<SampleTable> parseCsv(std::string_view text, const std::string& what, const DatasetConfig& config,
                             const std::stop_token& stop) {
    return CsvParser(text, what, config, stop).parse();
}

Result<SampleTable> readCsv(const std::filesystem::path& path, const DatasetConfig& config,
                            const std::stop_token& stop) {
    Result<std::string> content = readTextFile(path, kMaxCsvBytes, stop);
    if (content) content = csvText(std::move(content).value(), path.string(), stop);
    if (!content) return content.problem();
    return parseCsv(content.value(), path.string(), config, stop);
}

}  // namespace ringside
