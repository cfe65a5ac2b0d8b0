// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <unordered_map>

#include "base/text/number_text.h"
#include "data/preview/preview.h"
#include "data/readers/csv_table.h"

namespace ringside {
namespace {

using Cells = std::vector<std::string>;

constexpr std::size_t kShownRows = 20;
constexpr std::size_t kMaxShownCell = 200;
constexpr std::size_t kMaxShownName = 80;
constexpr std::size_t kMaxPreviewColumns = 2000;
constexpr std::int64_t kMaxGuessedClasses = 100;

// Common names of label columns.
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
            if (!isMissingText(cell))
                ++m_words[cell];
            else if (m_firstMissingText == 0)
                m_firstMissingText = line;
            return;
        }
        // Counts a cell only while the column has fewer than kMaxPreviewDistinct different cells: a column with more
        // different cells cannot be a class label, and further lookups would only take time.
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

    // Returns the classes in the order in which they are numbered: by value if all cells are numbers, otherwise by
    // name. Must not be called with kMaxPreviewDistinct cells or more.
    std::vector<PreviewClass> classes() const {
        std::vector<PreviewClass> all;
        for (const auto& [name, count] : m_cells) all.push_back({name, count});
        if (m_text) {
            for (const auto& [name, count] : m_words) all.push_back({name, count});
        }
        std::ranges::sort(all, {}, &PreviewClass::name);
        if (!m_text)
            std::ranges::stable_sort(all, {}, [](const PreviewClass& c) { return cellNumber(c.name).value_or(0); });
        return all;
    }

    std::int64_t firstMissing(bool isLabel) const { return isLabel && m_text ? m_firstMissingText : m_firstMissing; }

    // Returns the number of missing labels by the rule of CsvLabels: if the labels are texts, words such as NA are
    // class names and do not count as missing.
    std::int64_t missingLabels() const {
        std::int64_t words = 0;
        for (const auto& [word, count] : m_words) words += count;
        return m_text ? m_missing - words : m_missing;
    }
    bool isMissingLabel(const std::string& cell) const {
        return isMissingText(cell) || (!m_text && isMissingCell(cell));
    }

  private:
    // True if the cell counts as missing in columns of numbers and of texts.
    static bool isMissingText(const std::string& cell) { return cell.empty() || cell == "?"; }

    std::unordered_map<std::string, std::int64_t> m_cells;
    // Numbers of cells that contain each word for a missing value, such as NA and null.
    std::unordered_map<std::string, std::int64_t> m_words;
    std::int64_t m_missing = 0;
    std::int64_t m_firstMissing = 0;
    std::int64_t m_firstMissingText = 0;
    std::int64_t m_numbers = 0;
    bool m_text = false;
    bool m_real = false;
    double m_least = 0;
    double m_most = 0;
};

class TablePreview {
  public:
    TablePreview(std::string_view text, const std::string& what, const DatasetConfig& choices)
        : m_reader(text, what), m_what(what), m_choices(choices) {}

    Result<DataPreview> make(bool partial) {
        m_preview.dataset.kind = DatasetKind::kCsv;
        m_preview.partial = partial;
        if (auto read = readRows(); !read) return read.problem();
        for (std::size_t i = 0; i < m_counts.size(); ++i) m_preview.columns.push_back(m_counts[i].column(nameOf(i)));
        if (m_preview.columns.size() < 2) {
            return Problem{m_what, "has one column; a label and at least one feature are needed",
                           "check the separator"};
        }
        if (m_choices.labelColumn.empty())
            guessLabel();
        else if (auto found = findLabel(); !found)
            return found.problem();
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
            if (start) m_preview.header = more.value() && isHeader(first, cells);
            if (start && m_preview.header)
                m_names = first;
            else if (start)
                addRow(first, firstLine);
            if (!more.value()) return true;
            addRow(cells, static_cast<std::int64_t>(m_reader.line()));
        }
    }

    bool isHeader(const Cells& first, const Cells& second) const {
        return m_choices.header == CsvHeader::kYes ||
               (m_choices.header != CsvHeader::kNo && looksLikeHeader(first, second));
    }

    void addRow(const Cells& cells, std::int64_t line) {
        if (cells.size() != m_counts.size() && m_ragged == 0) {
            m_ragged = line;
            m_preview.ragged = true;
            m_preview.notes.push_back("Line " + std::to_string(line) + " has " + std::to_string(cells.size()) +
                                      " cells, but the first line has " + std::to_string(m_counts.size()) + ".");
        }
        for (std::size_t i = 0; i < std::min(cells.size(), m_counts.size()); ++i) m_counts[i].add(cells[i], line);
        if (std::ranges::any_of(cells, isMissingCell)) m_rowsWithMissing.push_back(missingIn(cells));
        ++m_preview.sampleCount;
        if (m_preview.rows.size() == kShownRows) return;
        Cells& shown = m_preview.rows.emplace_back(cells);
        for (std::string& cell : shown) cell.resize(std::min(cell.size(), kMaxShownCell));
    }

    static std::map<std::size_t, std::string> missingIn(const Cells& cells) {
        std::map<std::size_t, std::string> missing;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (isMissingCell(cells[i])) missing.emplace(i, cells[i]);
        }
        return missing;
    }

    // Counts the rows with missing values. label: index of the label column, which has its own rule for missing cells
    // (see missingLabels()).
    void countMissing(std::size_t label) {
        m_preview.columns[label].missing = m_counts[label].missingLabels();
        for (const auto& missing : m_rowsWithMissing) {
            const auto own = missing.find(label);
            const bool features = missing.size() > (own == missing.end() ? 0 : 1);
            const bool lacks = features || m_counts[label].isMissingLabel(own->second);
            m_preview.rowsWithMissing += lacks ? 1 : 0;
        }
    }

    std::string nameOf(std::size_t column) const {
        return column < m_names.size() ? m_names[column].substr(0, kMaxShownName) : std::to_string(column);
    }

    bool couldBeClasses(std::size_t column) const {
        const PreviewColumn& c = m_preview.columns[column];
        const bool kind = c.type == ColumnType::kInteger || c.type == ColumnType::kText;
        const std::int64_t most = std::min(kMaxGuessedClasses, std::max<std::int64_t>(m_preview.sampleCount / 2, 2));
        return kind && c.distinct >= 2 && c.distinct <= most;
    }

    // Returns the column's name from the header. Returns the column's number if the name is empty or an earlier column
    // has the same name.
    std::string labelText(std::size_t column) const {
        const bool named =
            column < m_names.size() && !m_names[column].empty() &&
            std::ranges::find(m_names, m_names[column]) - m_names.begin() == static_cast<std::ptrdiff_t>(column);
        return named ? m_names[column] : std::to_string(column);
    }

    Result<bool> findLabel() {
        const auto count = static_cast<int>(m_counts.size());
        for (int i = 0; i < count; ++i) {
            const auto column = static_cast<std::size_t>(i);
            const bool byName = column < m_names.size() && m_names[column] == m_choices.labelColumn;
            if (byName || (m_preview.labelColumn < 0 && std::to_string(i) == m_choices.labelColumn))
                m_preview.labelColumn = i;
            if (byName) break;
        }
        m_preview.labelIsSure = true;
        if (m_preview.labelColumn >= 0) return true;
        return Problem{"dataset.label_column",
                       "is \"" + m_choices.labelColumn.substr(0, 40) + "\", which " + m_what + " does not have",
                       "name one of its columns, or give a number from 0 to " + std::to_string(count - 1)};
    }

    // Guesses the label column: a column with a usual name; otherwise the last column, or the first column if only that
    // one could contain classes.
    void guessLabel() {
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

    void describeColumns() {
        for (std::size_t i = 0; i < m_counts.size(); ++i) {
            const PreviewColumn& column = m_preview.columns[i];
            const bool isLabel = static_cast<int>(i) == m_preview.labelColumn;
            if (column.missing > 0 &&
                (m_choices.missing == MissingCells::kRefuse || (m_choices.missing == MissingCells::kMean && isLabel))) {
                m_preview.notes.push_back("Column " + column.name + " lacks " + grouped(column.missing) +
                                          (column.missing == 1 ? " value" : " values") + ", first in line " +
                                          std::to_string(m_counts[i].firstMissing(isLabel)) + ".");
            }
            if (column.type == ColumnType::kText && !isLabel) {
                m_preview.notes.push_back("Column " + column.name + " is text; only the label may be text.");
            }
        }
    }

    void describe() {
        const auto label = static_cast<std::size_t>(m_preview.labelColumn);
        const PreviewColumn& column = m_preview.columns[label];
        countMissing(label);
        if (label + 1 != m_counts.size()) m_preview.dataset.labelColumn = labelText(label);
        m_preview.dataset.header = m_choices.header;
        m_preview.dataset.missing = m_choices.missing;
        const bool classes = column.type == ColumnType::kText || column.type == ColumnType::kInteger;
        if (classes && column.distinct < kMaxPreviewDistinct) m_preview.classes = m_counts[label].classes();
        describeColumns();
        m_preview.summary = grouped(m_preview.sampleCount) + (m_preview.sampleCount == 1 ? " row" : " rows") +
                            (m_preview.partial ? " in the part of the file that was read, " : ", ") +
                            grouped(m_preview.shape.features) +
                            (m_preview.shape.features == 1 ? " feature, " : " features, ") +
                            (m_preview.header ? "a header" : "no header") + "; column " + column.name + " is " +
                            (classes ? "the label: " + classesText(m_preview.classes) : "the number to predict");
    }

    CsvReader m_reader;
    const std::string& m_what;
    const DatasetConfig& m_choices;
    Cells m_names;
    std::vector<ColumnCount> m_counts;
    // An entry for each row with missing cells: the text of each missing cell, by index of its column.
    std::vector<std::map<std::size_t, std::string>> m_rowsWithMissing;
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

Result<DataPreview> previewTable(std::string_view text, const std::string& what, bool partial,
                                 const DatasetConfig& choices) {
    return TablePreview(text, what, choices).make(partial);
}

}  // namespace ringside
