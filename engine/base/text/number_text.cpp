// SPDX-License-Identifier: Apache-2.0
#include "base/text/number_text.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

namespace ringside {

std::string grouped(std::int64_t number) {
    std::string text = std::to_string(number);
    const std::size_t first = number < 0 ? 1 : 0;
    for (std::size_t at = text.size(); at > first + 3;) {
        at -= 3;
        text.insert(at, 1, ',');
    }
    return text;
}

namespace {

// True for nouns with the plural "es": batch, branch, process. "epoch" ends with "ch", but takes "s".
bool takesEs(std::string_view noun) {
    return noun.ends_with("tch") || noun.ends_with("nch") || noun.ends_with("ss");
}

}  // namespace

std::string counted(std::int64_t number, std::string_view noun) {
    std::string text = grouped(number);
    text.append(" ").append(noun);
    if (number == 1) return text;
    return text.append(takesEs(noun) ? "es" : "s");
}

std::string memoryText(std::int64_t bytes) {
    if (bytes != 0 && std::abs(bytes) < 1024) return fmt::format("{} B", bytes);
    constexpr std::array kUnits = {"KiB", "MiB", "GiB", "TiB"};
    double amount = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    for (; amount >= 1024 && unit + 1 < kUnits.size(); ++unit) amount /= 1024;
    return bytes == 0 ? "0" : fmt::format("{:.1f} {}", amount, kUnits[unit]);
}

std::string rateNumber(double value) {
    if (!std::isfinite(value)) return fmt::format("{}", value);
    return std::abs(value) < 100 ? fmt::format("{:.3g}", value) : grouped(std::llround(value));
}

std::string plainNumber(double value) {
    if (std::floor(value) == value && std::abs(value) < 1e15) return std::to_string(static_cast<std::int64_t>(value));
    std::array<char, 32> text{};
    const std::to_chars_result end = std::to_chars(text.data(), text.data() + text.size(), value);
    return {text.data(), end.ptr};
}

}  // namespace ringside
