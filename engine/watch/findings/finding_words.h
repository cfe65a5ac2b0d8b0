// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "base/text/number_text.h"

namespace ringside {

// Returns "rank 2" or "ranks 0, 1 and 3"; at most six ranks are listed.
std::string rankWords(std::span<const int> ranks);
// Returns the text with a capital first letter.
std::string capitalised(std::string text);
// Returns a share of `whole` in percent, for example "25 %".
std::string percentOf(double part, double whole);
// Returns a duration: "12.3 ms", "4.0 s".
std::string durationWords(double microseconds);
// Returns a number with at most four significant digits.
std::string shortNumber(double number);

}  // namespace ringside
