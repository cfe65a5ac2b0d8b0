// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ringside {

// Returns the candidate most similar to `word` by edit distance with transpositions, or an empty text if none is
// similar enough. Used for suggestions after typing errors.
std::string nearestWord(std::string_view word, std::span<const std::string> candidates);

}  // namespace ringside
