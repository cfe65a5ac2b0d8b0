// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace ringside {

// Splits a byte stream into lines in bounded memory. Skips lines longer than maxLine bytes; skippedLines() counts them.
class LineSplitter {
  public:
    explicit LineSplitter(std::size_t maxLine) : m_maxLine(maxLine) {}

    // Calls sink for each complete line, without its newline.
    void feed(std::string_view bytes, const std::function<void(std::string_view)>& sink);
    // Returns the bytes after the last newline.
    const std::string& partial() const { return m_partial; }
    std::int64_t skippedLines() const { return m_skippedLines; }

  private:
    std::size_t m_maxLine;
    std::string m_partial;
    bool m_skipping = false;
    std::int64_t m_skippedLines = 0;
};

}  // namespace ringside
