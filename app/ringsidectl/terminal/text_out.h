// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace ringside {

// Buffered output to an open stream, flushed each time the buffer reaches 64 KiB, because a plan can have billions of
// numbers. Throws IoError if a write fails, for example on a full disk or a closed pipe.
class TextOut {
  public:
    explicit TextOut(std::FILE* stream) : m_stream(stream) { m_buffer.reserve(kFlushAt + 64); }

    TextOut& operator<<(std::string_view text) {
        m_buffer += text;
        if (m_buffer.size() >= kFlushAt) flush();
        return *this;
    }
    TextOut& operator<<(std::int64_t number) {
        char digits[24];
        const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
        return *this << std::string_view(digits, static_cast<std::size_t>(end - digits));
    }
    TextOut& operator<<(int number) { return *this << std::int64_t{number}; }

    void flush();  // writes the buffered text; must be called at the end

  private:
    static constexpr std::size_t kFlushAt = 1U << 16;

    std::FILE* m_stream;
    std::string m_buffer;
};

}  // namespace ringside
