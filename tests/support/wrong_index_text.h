// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "train/interfaces/wrong_index.h"

namespace ringside {

// Reads a whole number from the beginning of the text and, unless it is the last one, the colon after it. Removes both
// from the text.
template <class T>
bool takeNumber(std::string_view& text, T& out, bool last) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (error != std::errc{} || out < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (last) return text.empty();
    if (!text.starts_with(':')) return false;
    text.remove_prefix(1);
    return true;
}

// Parses "rank:epoch:slot:sample". Returns nothing for any other text.
inline std::optional<WrongIndex> parseWrongIndex(const std::string& text) {
    WrongIndex wrong;
    std::string_view rest = text;
    const bool good = takeNumber(rest, wrong.rank, false) && takeNumber(rest, wrong.epoch, false) &&
                      takeNumber(rest, wrong.slot, false) && takeNumber(rest, wrong.sample, true);
    return good ? std::optional(wrong) : std::nullopt;
}

}  // namespace ringside
