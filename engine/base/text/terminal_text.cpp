// SPDX-License-Identifier: Apache-2.0
#include "base/text/terminal_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ringside {
namespace {

struct Character {
    std::uint32_t code = 0;
    std::size_t bytes = 1;
    bool valid = false;
};

bool isContinuation(char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;
}

std::size_t lengthAfter(unsigned char lead) {
    if (lead < 0x80) return 1;
    if (lead >= 0xc2 && lead < 0xe0) return 2;
    if (lead >= 0xe0 && lead < 0xf0) return 3;
    return lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
}

// Decodes the first character of a text that is not empty (RFC 3629: no surrogates, no overlong forms).
Character firstOf(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text.front());
    const std::size_t length = lengthAfter(lead);
    if (length == 1) return {lead, 1, true};
    if (length == 0 || text.size() < length) return {lead, 1, false};
    std::uint32_t code = lead & (0x7fU >> length);
    for (const char c : text.substr(1, length - 1)) {
        if (!isContinuation(c)) return {lead, 1, false};
        code = code << 6U | (static_cast<unsigned char>(c) & 0x3fU);
    }
    const bool tooLong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    const bool surrogate = code >= 0xd800 && code <= 0xdfff;
    if (tooLong || surrogate || code > 0x10ffff) return {lead, 1, false};
    return {code, length, true};
}

bool acts(std::uint32_t code) {
    const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
    const bool direction = code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
                           (code >= 0x2066 && code <= 0x2069);
    const bool line = code == 0x2028 || code == 0x2029;
    return control || direction || line;
}

bool isPlain(char c) {
    return c >= ' ' && c <= '~';
}

template <class Spell>
std::string mapped(std::string_view text, Spell&& spell) {
    std::string shown;
    shown.reserve(text.size());
    while (!text.empty()) {
        const auto plain = static_cast<std::size_t>(std::ranges::find_if_not(text, isPlain) - text.begin());
        shown += text.substr(0, plain);
        text.remove_prefix(plain);
        if (text.empty()) break;
        const Character one = firstOf(text);
        shown += one.valid && !acts(one.code) ? std::string(text.substr(0, one.bytes)) : spell(one);
        text.remove_prefix(one.bytes);
    }
    return shown;
}

}  // namespace

std::string terminalText(std::string_view text) {
    return mapped(text, [](const Character& one) {
        return one.code < 0x100 ? fmt::format("\\x{:02x}", one.code) : fmt::format("\\u{:04x}", one.code);
    });
}

std::string terminalJson(std::string_view lines) {
    return mapped(lines, [](const Character& one) {
        if (one.valid && one.code == '\n') return std::string("\n");
        return one.valid ? fmt::format("\\u{:04x}", one.code) : std::string("\\ufffd");
    });
}

}  // namespace ringside
