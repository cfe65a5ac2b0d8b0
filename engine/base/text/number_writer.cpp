// SPDX-License-Identifier: Apache-2.0
#include "base/text/number_writer.h"

#include <charconv>
#include <cmath>
#include <utility>

namespace ringside {
namespace {

// Integers below this limit are shortest without an exponent. The overload for integers writes them, which is faster.
constexpr double kPlainDigits = 1e4;

}  // namespace

NumberWriter& NumberWriter::text(std::string_view text) {
    if (text.size() > m_block.size() - m_used) flush();
    if (text.size() > m_block.size()) {
        m_text += text;
    } else {
        text.copy(m_block.data() + m_used, text.size());
        m_used += text.size();
    }
    return *this;
}

NumberWriter& NumberWriter::number(std::int64_t value) {
    char* const from = reserve();
    m_used += static_cast<std::size_t>(std::to_chars(from, from + kLongestNumber, value).ptr - from);
    return *this;
}

NumberWriter& NumberWriter::number(double value) {
    if (!std::isfinite(value)) return text("null");
    const bool small = std::abs(value) < kPlainDigits && (value != 0 || !std::signbit(value));
    if (const auto whole = small ? static_cast<std::int64_t>(value) : 0; small && static_cast<double>(whole) == value)
        return number(whole);
    char* const from = reserve();
    m_used += static_cast<std::size_t>(std::to_chars(from, from + kLongestNumber, value).ptr - from);
    return *this;
}

std::string NumberWriter::take() {
    flush();
    return std::exchange(m_text, {});
}

char* NumberWriter::reserve() {
    if (m_block.size() - m_used < kLongestNumber) flush();
    return m_block.data() + m_used;
}

void NumberWriter::flush() {
    m_text.append(m_block.data(), m_used);
    m_used = 0;
}

}  // namespace ringside
