// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ringside {

// JSON text with many numbers, written several times faster than through a tree: the shortest digits that read back to
// the same value; null for a double that is no number or infinite.
class NumberWriter {
  public:
    NumberWriter& text(std::string_view text);
    NumberWriter& character(char one) {
        if (m_used == m_block.size()) flush();
        m_block[m_used++] = one;
        return *this;
    }
    NumberWriter& number(std::int64_t value);
    NumberWriter& number(double value);
    // The text so far, which is taken: the writer is empty again.
    std::string take();

  private:
    static constexpr std::size_t kLongestNumber = 32;
    char* room();
    void flush();

    std::array<char, 2048> m_block;  // not yet in m_text
    std::size_t m_used = 0;
    std::string m_text;
};

}  // namespace ringside
