// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string_view>

namespace ringside {

// True if a JSON string contains this text unescaped: printable ASCII without quotes and backslashes.
inline bool isPlainText(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
}

}  // namespace ringside
