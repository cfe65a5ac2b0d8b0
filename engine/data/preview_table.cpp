// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "base/number_text.h"
#include "data/csv_table.h"
#include "data/preview.h"

namespace ringside {
namespace {

using Cells = std::vector<std::string>;

constexpr std::size_t kShownRows = 20;
constexpr std::size_t kMaxShownCell = 200;
constexpr std::size_t kMaxPreviewColumns = 2000;
constexpr std::int64_t kMaxGuessedClasses = 100;

// Names that people give to the column to be predicted.
constexpr std::array<std::string_view, 12> kLabelNames = {"label",     "class",   "target", "outcome",
                                                          "y",         "species", "labels", "type",
                                                          "diagnosis", "result",  "digit",  "category"};

std::string lowered(std::string text) {
    std::ranges::transform(text, text.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return text;
}

class ColumnCount {
  public:
    void add(const std::string& cell, std::int64_t line) {
        if (isMissingCell(cell)) {
            if (m_missing++ == 0) m_firstMissing = line;
            return;
        }
        // Once there are too many to be classes, looking cells up would cost more than reading them.
        if (static_cast<std::int64_t>(m_cells.size()) < kMaxPreviewDistinct) ++m_cells[cell];
        const auto number = cellNumber(cell);
        if (!number) {
            m_text = true;
            return;
        }
        m_real = m_real || std::floor(*number) != *number;
        m_least = m_numbers == 0 ? *number : std::min<double>(m_least, *number);
        m_most = m_numbers == 0 ? *number : std::max<double>(m_most, *number);
        ++m_numbers;
    }

    PreviewColumn column(const std::string& name) const {
        PreviewColumn column{.name = name, .missing = m_missing, .distinct = static_cast<std::int64_t>(m_cells.size())};
        if (m_text)
            column.type = ColumnType::kText;
        else if (m_numbers > 0)
            column.type = m_real ? ColumnType::kReal : ColumnType::kInteger;
        column.least = m_least;
        column.most = m_most;
        return column;
    }

    // Not called with kMaxPreviewDistinct cells or more. By value where all are numbers, else by name: the order in
    // which the classes are numbered.
    std::vector<PreviewClass> classes() const {
        std::vector<PreviewClass> all;
        for (const auto& [name, count] : m_cells) all.push_back({name, count});
        std::ranges::sort(all, {}, &PreviewClass::name);
        if (!m_text)
            std::ranges::stable_sort(all, {}, [](const PreviewClass& c) { return cellNumber(c.name).value_or(0); });
        return all;
    }

    std::int64_t firstMissing() const { return m_firstMissing; }

  private:
    std::unordered_map<std::string, std::int64_t> m_cells;
    std::int64_t m_missing = 0;
    std::int64_t m_firstMissing = 0;
    std::int64_t m_numbers = 0;
    bool m_text = false;
    bool m_real = false;
    double m_least = 0;
    double m_most = 0;
};

class TablePreview {
  public:
    TablePreview(std::string_view text, const std::string& what) : m_reader(text, what), m_what(what) {}

    Result<DataPreview> make(bool partial) {
        m_preview.kind = m_preview.dataset.kind = "csv";
        m_preview.partial = partial;
        if (auto read = readRows(); !read) return read.problem();
        for (std::size_t i = 0; i < m_counts.size(); ++i) m_preview.columns.push_back(m_counts[i].column(nameOf(i)));
        if (m_preview.columns.size() < 2) {
            return Problem{m_what, "has one column; a label and at least one feature are needed",
                           "check the separator"};
        }
        chooseLabel();
        m_preview.shape.features = static_cast<std::int64_t>(m_counts.size()) - 1;
        describe();
        return std::move(m_preview);
    }

  private:
    Result<bool> readRows() {
        Cells first;
        auto more = m_reader.next(first);
        if (!more) return more;
        if (!more.value()) return Problem{m_what, "is empty", "choose a file with at least 2 rows"};
        if (first.size() > kMaxPreviewColumns) {
            return Problem{m_what, "has " + std::to_string(first.size()) + " columns; a preview shows at most 2000",
                           "load it as dataset.kind csv without a preview"};
        }
        const auto firstLine = static_cast<std::int64_t>(m_reader.line());
        m_counts.resize(first.size());
        Cells cells;
        for (bool start = true;; start = false) {
            more = m_reader.next(cells);
            if (!more) return more;
            if (start) m_preview.header = more.value() && looksLikeHeader(first, cells);
            if (start && m_preview.header)
                m_names = first;
            else if (start)
                addRow(first, firstLine);
            if (!more.value()) return true;
            addRow(cells, static_cast<std::int64_t>(m_reader.line()));
        }
    }

    void addRow(const Cells& cells, std::int64_t line) {
        if (cells.size() != m_counts.size() && m_ragged == 0) {
            m_ragged = line;
            m_preview.notes.push_back("Line " + std::to_string(line) + " has " + std::to_string(cells.size()) +
                                      " cells, the first line " + std::to_string(m_counts.size()) + ".");
        }
        for (std::size_t i = 0; i < std::min(cells.size(), m_counts.size()); ++i) m_counts[i].add(cells[i], line);
        ++m_preview.sampleCount;
        if (m_preview.rows.size() == kShownRows) return;
        Cells& shown = m_preview.rows.emplace_back(cells);
        for (std::string& cell : shown) cell.resize(std::min(cell.size(), kMaxShownCell));
    }

    std::string nameOf(std::size_t column) const {
        return column < m_names.size() ? m_names[column] : std::to_string(column);
    }

    bool couldBeClasses(std::size_t column) const {
        const PreviewColumn& c = m_preview.columns[column];
        const bool kind = c.type == ColumnType::kInteger || c.type == ColumnType::kText;
        const std::int64_t most = std::min(kMaxGuessedClasses, std::max<std::int64_t>(m_preview.sampleCount / 2, 2));
        return kind && c.distinct >= 2 && c.distinct <= most;
    }

    // By name; else the last column, or the first when only that one could be classes.
    void chooseLabel() {
        const auto last = static_cast<int>(m_counts.size()) - 1;
        m_preview.labelColumn = last;
        for (int i = last; i >= 0; --i) {
            if (std::ranges::find(kLabelNames, lowered(nameOf(static_cast<std::size_t>(i)))) == kLabelNames.end())
                continue;
            m_preview.labelColumn = i;
            m_preview.labelIsSure = true;
            return;
        }
        const bool lastFits = couldBeClasses(static_cast<std::size_t>(last));
        const bool firstFits = couldBeClasses(0);
        if (firstFits && !lastFits) m_preview.labelColumn = 0;
        m_preview.labelIsSure = lastFits && m_preview.columns.back().missing == 0;
    }

    void noteColumns() {
        for (std::size_t i = 0; i < m_counts.size(); ++i) {
            const PreviewColumn& column = m_preview.columns[i];
            if (column.missing > 0) {
                m_preview.notes.push_back("Column " + column.name + " lacks " + grouped(column.missing) +
                                          (column.missing == 1 ? " value" : " values") + ", first in line " +
                                          std::to_string(m_counts[i].firstMissing()) + ".");
            }
            if (column.type == ColumnType::kText && static_cast<int>(i) != m_preview.labelColumn) {
                m_preview.notes.push_back("Column " + column.name + " is text; only the label may be.");
            }
        }
    }

    void describe() {
        const auto label = static_cast<std::size_t>(m_preview.labelColumn);
        const PreviewColumn& column = m_preview.columns[label];
        if (label + 1 != m_counts.size()) m_preview.dataset.labelColumn = nameOf(label);
        const bool classes = column.type == ColumnType::kText || column.type == ColumnType::kInteger;
        if (classes && column.distinct < kMaxPreviewDistinct) m_preview.classes = m_counts[label].classes();
        noteColumns();
        m_preview.summary =
            grouped(m_preview.sampleCount) + (m_preview.partial ? " rows in the part read, " : " rows, ") +
            grouped(m_preview.shape.features) + (m_preview.shape.features == 1 ? " feature, " : " features, ") +
            (m_preview.header ? "a header" : "no header") + "; column " + column.name + " is " +
            (classes ? "the label: " + classesText(m_preview.classes) : "the number to be predicted");
    }

    CsvReader m_reader;
    const std::string& m_what;
    Cells m_names;
    std::vector<ColumnCount> m_counts;
    std::int64_t m_ragged = 0;
    DataPreview m_preview;
};

}  // namespace

std::string classesText(const std::vector<PreviewClass>& classes) {
    constexpr std::size_t kNamed = 10;
    if (classes.empty()) return "1,000 or more classes";
    std::string text =
        grouped(static_cast<std::int64_t>(classes.size())) + (classes.size() == 1 ? " class" : " classes");
    if (classes.size() > kNamed) return text;
    text += " (";
    for (const PreviewClass& entry : classes) {
        text += (&entry == &classes.front() ? "" : ", ") + entry.name.substr(0, 40) + ": " + grouped(entry.count);
    }
    return text + ")";
}

Result<DataPreview> previewTable(std::string_view text, const std::string& what, bool partial) {
    return TablePreview(text, what).make(partial);
}

}  // namespace ringside
