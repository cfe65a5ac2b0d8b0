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

// The bytes of a file as UTF-8: as they are, or taken for Latin-1 when they are not UTF-8. UTF-16 is a problem, and so
// is what is no text. When `stop` is asked for, it soon ends with stoppedReading().
Result<std::string> csvText(std::string bytes, const std::string& what, const std::stop_token& stop = {});

// Reads comma-, semicolon- or tab-separated records one after the other (RFC 4180: quotes, doubled quotes, line ends
// LF, CRLF or CR inside or after a record). Blank lines are passed over. The text must outlive the reader.
class CsvReader {
  public:
    CsvReader(std::string_view text, std::string what);

    // The next record's cells, trimmed of blanks, into `cells`; false at the end.
    Result<bool> next(std::vector<std::string>& cells);

    char separator() const { return m_separator; }
    std::size_t line() const { return m_recordLine; }  // where the last record began, from 1

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

// The number a whole cell says (C locale, an optional plus sign), or nothing: also for "nan", "inf" and what does not
// fit a float.
std::optional<float> cellNumber(std::string_view cell);

// What people write where a value is missing: nothing, "?", "NA", "N/A", "NaN", "null", "None", "-".
bool isMissingCell(std::string_view cell);

// A name above a number: then the first line is the header.
bool looksLikeHeader(const std::vector<std::string>& first, const std::vector<std::string>& second);

}  // namespace ringside
