// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ringside {

// Returns the number with commas between thousands: "1,234,567".
std::string withCommas(std::int64_t number);
// Returns the number with its noun: "1 sample", "1,234 samples".
std::string counted(std::int64_t number, std::string_view noun);
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
