// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors/result.h"

namespace ringside {

// Returns the bytes of a file as UTF-8. Bytes that are not UTF-8 are decoded as Latin-1. Problems: UTF-16, binary data.
// After a stop request on `stop` it soon returns stoppedReading().
Result<std::string> csvText(std::string bytes, const std::string& what, const std::stop_token& stop = {});

// Reads comma-, semicolon- or tab-separated records one at a time (RFC 4180: quotes, doubled quotes, line ends LF, CRLF
// or CR inside or after a record). Blank lines are skipped. The text must outlive the reader.
class CsvReader {
  public:
    CsvReader(std::string_view text, std::string what);

    // Stores the next record's cells in `cells`, without surrounding blanks. Returns false at the end.
    Result<bool> next(std::vector<std::string>& cells);

    char separator() const { return m_separator; }
    // Returns the line in which the last record began, counted from 1.
    std::size_t line() const { return m_recordLine; }

  private:
    bool atEnd() const { return m_at >= m_text.size(); }
    bool skipLineEnd();
    std::optional<Problem> readQuoted(std::string& cell);
    void readPlain(std::string& cell);
    Result<bool> readRecord(std::vector<std::string>& cells);
    Problem problemHere(const std::string& message, const std::string& remedy) const;

    std::string_view m_text;
    std::string m_what;
    char m_separator;
    std::size_t m_at = 0;
    std::size_t m_line = 1;
    std::size_t m_recordLine = 0;
};

// Returns the number in a cell (C locale, optional plus sign). Empty if the whole cell is not a finite number in the
// range of float; "nan" and "inf" are not numbers.
std::optional<float> cellNumber(std::string_view cell);

// True for the common notations of a missing value: an empty cell, "?", "NA", "N/A", "NaN", "null", "None", "-".
bool isMissingCell(std::string_view cell);

// True if the first line is a header: in at least one column, the first record contains a name and the second record a
// number.
bool looksLikeHeader(const std::vector<std::string>& first, const std::vector<std::string>& second);

}  // namespace ringside
