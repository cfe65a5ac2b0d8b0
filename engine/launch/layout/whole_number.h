// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <limits>
#include <optional>
#include <string_view>

namespace ringside {

// Returns the number from 0 to `most` that the whole text spells in decimal digits; empty for any other text.
inline std::optional<int> wholeNumberIn(std::string_view text, int most = std::numeric_limits<int>::max()) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < 0 || value > most) return {};
    return value;
}

}  // namespace ringside
