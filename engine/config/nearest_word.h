// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ringside {

// The candidate that a person who typed `word` most likely meant (edit distance with transpositions), or empty when
// nothing is near.
std::string nearestWord(std::string_view word, std::span<const std::string> candidates);

}  // namespace ringside
