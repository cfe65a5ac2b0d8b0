// SPDX-License-Identifier: Apache-2.0
#include "launch/classroom/join_code.h"

#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>

namespace ringside {
namespace {

constexpr std::string_view kAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
// Number of digits of the secret in a code: 26 digits hold 130 bits; the last 2 bits are 0.
constexpr std::size_t kDigits = 26;
constexpr std::size_t kGroup = 5;
constexpr std::size_t kBytes = JoinCode::kTokenHex / 2;

using Bytes = std::array<std::uint8_t, kBytes>;

Problem wrong(const std::string& message) {
    return {"the join code", message, "copy the complete code, as in 10.0.0.7:21345/9ZK3P-..., from the host"};
}

Bytes bytesOf(const std::string& hex) {
    Bytes bytes{};
    for (std::size_t i = 0; i < kBytes; ++i) std::from_chars(hex.data() + 2 * i, hex.data() + 2 * i + 2, bytes[i], 16);
    return bytes;
}

// Encodes five bits per digit, most significant first; the last digit holds the remaining three bits.
std::string base32(const Bytes& bytes) {
    std::string text;
    for (std::size_t digit = 0; digit < kDigits; ++digit) {
        unsigned value = 0;
        for (std::size_t bit = 5 * digit; bit < 5 * digit + 5; ++bit) {
            const unsigned set = bit < 8 * kBytes ? bytes[bit / 8] >> (7 - bit % 8) & 1U : 0U;
            value = value << 1 | set;
        }
        if (digit > 0 && digit % kGroup == 0) text += '-';
        text += kAlphabet[value];
    }
    return text;
}

int digitOf(char letter) {
    const auto upper = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    if (upper == 'O') return 0;
    if (upper == 'I' || upper == 'L') return 1;
    const std::size_t at = kAlphabet.find(upper);
    return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

// Returns the secret as hexadecimal text; empty if the text is not a valid secret.
std::string tokenIn(std::string_view text) {
    Bytes bytes{};
    std::size_t bit = 0;
    for (const char letter : text) {
        if (letter == '-' || std::isspace(static_cast<unsigned char>(letter))) continue;
        const int digit = digitOf(letter);
        if (digit < 0 || bit >= 5 * kDigits) return {};
        for (int i = 4; i >= 0; --i, ++bit) {
            const bool set = (digit >> i & 1) != 0;
            if (bit >= 8 * kBytes && set) return {};
            if (bit < 8 * kBytes && set) bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] | 0x80U >> bit % 8);
        }
    }
    if (bit != 5 * kDigits) return {};
    std::string hex;
    for (const std::uint8_t byte : bytes) {
        hex += "0123456789abcdef"[byte >> 4];
        hex += "0123456789abcdef"[byte & 15];
    }
    return hex;
}

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

}  // namespace

std::string JoinCode::text() const {
    const std::string where = host.find(':') == std::string::npos ? host : "[" + host + "]";
    return where + ":" + std::to_string(port) + "/" + base32(bytesOf(token));
}

Result<JoinCode> JoinCode::parse(std::string_view typed) {
    const std::string_view text = trimmed(typed);
    if (text.empty()) return wrong("is empty");
    if (text.size() > kMaxText) return wrong("has more than " + std::to_string(kMaxText) + " characters");
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) return wrong("has no \"/\" between address and secret");
    const std::string_view where = text.substr(0, slash);
    const std::size_t colon = where.rfind(':');
    if (colon == std::string_view::npos || colon == 0) return wrong("has no ADDRESS:PORT before the \"/\"");
    JoinCode code;
    std::string_view host = where.substr(0, colon);
    if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
    code.host = host;
    const std::string_view port = where.substr(colon + 1);
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), code.port);
    if (error != std::errc{} || end != port.data() + port.size() || code.port < 1 || code.port > 65535)
        return wrong("has \"" + std::string(port) + "\" instead of a port from 1 to 65535");
    code.token = tokenIn(text.substr(slash + 1));
    if (code.token.empty())
        return wrong("has an invalid secret: it must have 26 letters and digits, without u, not counting dashes");
    return code;
}

}  // namespace ringside
