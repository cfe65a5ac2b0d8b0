// SPDX-License-Identifier: Apache-2.0
#include "watch/findings/finding_words.h"

#include <fmt/format.h>

#include <cstddef>

namespace ringside {

std::string rankWords(std::span<const int> ranks) {
    constexpr std::size_t kMax = 6;
    std::string words = ranks.size() == 1 ? "rank " : "ranks ";
    const std::size_t listed = ranks.size() <= kMax ? ranks.size() : kMax - 1;
    for (std::size_t i = 0; i < listed; ++i) {
        if (i > 0) words += i + 1 == ranks.size() ? " and " : ", ";
        words += std::to_string(ranks[i]);
    }
    if (listed < ranks.size()) words += " and " + std::to_string(ranks.size() - listed) + " more";
    return words;
}

std::string capitalised(std::string text) {
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
    return text;
}

std::string percentOf(double part, double whole) {
    const double share = whole > 0 ? 100 * part / whole : 0;
    return fmt::format("{:.{}f} %", share, share > 0 && share < 1 ? 2 : 0);
}

std::string durationWords(double microseconds) {
    if (microseconds >= 1e6) return fmt::format("{:.1f} s", microseconds / 1e6);
    const int decimals = microseconds >= 1e5 ? 0 : microseconds >= 1e3 ? 1 : 3;
    return fmt::format("{:.{}f} ms", microseconds / 1e3, decimals);
}

std::string shortNumber(double number) {
    return fmt::format("{:.4g}", number);
}

}  // namespace ringside
