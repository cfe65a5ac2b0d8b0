// SPDX-License-Identifier: Apache-2.0
#include "data/readers/csv_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "data/readers/byte_source.h"

namespace ringside {
namespace {

constexpr std::size_t kMaxColumns = 100000;
constexpr std::size_t kMaxCellBytes = 1U << 16;
// Number of bytes at the start of the file that are checked for a zero byte, which marks binary data.
constexpr std::size_t kStart = 4096;
constexpr std::string_view kBlanks = " \t";
constexpr std::size_t kBetweenChecks = std::size_t{1} << 20;  // bytes between checks of the stop token

// Returns the separator that occurs most often in the first line, outside quotes.
char guessSeparator(std::string_view text) {
    constexpr std::array<char, 3> kSeparators = {',', ';', '\t'};
    std::array<std::size_t, 3> counts{};
    bool quoted = false;
    for (const char c : text) {
        if (c == '"') quoted = !quoted;
        if (quoted) continue;
        if (c == '\n' || c == '\r') break;
        for (std::size_t i = 0; i < kSeparators.size(); ++i) counts[i] += c == kSeparators[i] ? 1U : 0U;
    }
    return kSeparators[static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin())];
}

std::string_view withoutByteOrderMark(std::string_view text) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    return text;
}

std::string_view trimmed(std::string_view cell) {
    const auto first = cell.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return {};
    return cell.substr(first, cell.find_last_not_of(kBlanks) - first + 1);
}

std::size_t followingBytes(unsigned char first) {
    return first < 0x80 ? 0 : first >= 0xC2 && first < 0xE0 ? 1 : first >= 0xE0 && first < 0xF0 ? 2 : 3;
}

bool isUtf8(std::string_view text, const std::stop_token& stop) {
    std::size_t nextCheck = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (at >= nextCheck) {
            if (stop.stop_requested()) return false;
            nextCheck = at + kBetweenChecks;
        }
        const auto first = static_cast<unsigned char>(text[at]);
        if (first < 0x80) continue;
        if (first < 0xC2 || first > 0xF4) return false;
        for (std::size_t left = followingBytes(first); left > 0; --left) {
            if (++at == text.size() || (static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80) return false;
        }
    }
    return true;
}

}  // namespace

Result<std::string> csvText(std::string bytes, const std::string& what, const std::stop_token& stop) {
    if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff"))
        return Problem{what, "is UTF-16 text", "save the file as UTF-8"};
    if (std::string_view(bytes).substr(0, kStart).find('\0') != std::string_view::npos)
        return Problem{what, "is not a text file", "choose a table, saved as CSV"};
    if (isUtf8(bytes, stop)) return bytes;
    std::string text;
    text.reserve(bytes.size() + bytes.size() / 8);
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        if (at % kBetweenChecks == 0 && stop.stop_requested()) return stoppedReading(what);
        const char c = bytes[at];
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x80) text += static_cast<char>(0xC0U | byte >> 6U);
        text += byte < 0x80 ? c : static_cast<char>(0x80U | (byte & 0x3FU));
    }
    return text;
}

CsvReader::CsvReader(std::string_view text, std::string what)
    : m_text(withoutByteOrderMark(text)), m_what(std::move(what)), m_separator(guessSeparator(m_text)) {}

Problem CsvReader::problemHere(const std::string& message, const std::string& remedy) const {
    return {m_what + " line " + std::to_string(m_recordLine), message, remedy};
}

bool CsvReader::skipLineEnd() {
    if (atEnd() || (m_text[m_at] != '\n' && m_text[m_at] != '\r')) return false;
    const bool pair = m_text.substr(m_at).starts_with("\r\n");
    m_at += pair ? 2 : 1;
    ++m_line;
    return true;
}

Result<bool> CsvReader::next(std::vector<std::string>& cells) {
    do {
        while (skipLineEnd()) {
        }
        if (atEnd()) return false;
        m_recordLine = m_line;
        const Result<bool> read = readRecord(cells);
        if (!read) return read.problem();
    } while (cells.size() == 1 && cells.front().empty());  // only blanks
    return true;
}

Result<bool> CsvReader::readRecord(std::vector<std::string>& cells) {
    cells.clear();
    for (;;) {
        if (cells.size() == kMaxColumns) return problemHere("has more than 100000 columns", "use fewer columns");
        std::string& cell = cells.emplace_back();
        while (!atEnd() && m_text[m_at] == ' ') ++m_at;
        if (!atEnd() && m_text[m_at] == '"') {
            if (auto problem = readQuoted(cell)) return *problem;
        } else {
            readPlain(cell);
        }
        if (cell.size() > kMaxCellBytes) return problemHere("has a cell of more than 65536 bytes", "shorten the cell");
        if (atEnd()) return true;
        if (m_text[m_at] == m_separator) {
            ++m_at;
            continue;
        }
        if (skipLineEnd()) return true;
        return problemHere("has text after a closing quote", "double the quotes inside a cell, as \"\"");
    }
}

std::optional<Problem> CsvReader::readQuoted(std::string& cell) {
    for (++m_at; !atEnd();) {
        const char c = m_text[m_at];
        if (c == '"' && m_text.substr(m_at).starts_with("\"\"")) {
            cell += '"';
            m_at += 2;
        } else if (c == '"') {
            ++m_at;
            while (!atEnd() && m_text[m_at] == ' ') ++m_at;
            return {};
        } else {
            m_line += c == '\n' ? 1 : 0;
            cell += c;
            ++m_at;
            if (cell.size() > kMaxCellBytes) break;
        }
    }
    return problemHere("has a quote that is not closed", "close the quote, or double it if it belongs to the text");
}

void CsvReader::readPlain(std::string& cell) {
    const std::size_t start = m_at;
    while (!atEnd() && m_text[m_at] != m_separator && m_text[m_at] != '\n' && m_text[m_at] != '\r') ++m_at;
    cell = trimmed(m_text.substr(start, m_at - start));
}

std::optional<float> cellNumber(std::string_view cell) {
    cell = trimmed(cell);
    if (cell.starts_with("+") && !cell.starts_with("+-")) cell.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc() || end != cell.data() + cell.size() || !std::isfinite(value)) return {};
    if (std::abs(value) > static_cast<double>(std::numeric_limits<float>::max())) return {};
    return static_cast<float>(value);
}

bool isMissingCell(std::string_view cell) {
    constexpr std::array<std::string_view, 8> kWords = {"", "?", "-", "na", "n/a", "nan", "null", "none"};
    std::string word(trimmed(cell).substr(0, 8));
    std::ranges::transform(word, word.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return std::ranges::find(kWords, word) != kWords.end();
}

bool looksLikeHeader(const std::vector<std::string>& first, const std::vector<std::string>& second) {
    for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i) {
        const bool name = !cellNumber(first[i]) && !isMissingCell(first[i]);
        if (name && cellNumber(second[i])) return true;
    }
    return false;
}

}  // namespace ringside
