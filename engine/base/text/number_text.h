// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ringside {

// Returns the number with separators for thousands, "1,281,167" for 1281167, for messages. Files contain numbers
// without separators.
std::string grouped(std::int64_t number);

// Returns the number with its noun: "1 rank", "1,200 ranks", "3 batches".
std::string counted(std::int64_t number, std::string_view noun);

// Returns a size in the unit that leaves a number below 1024, from B to TiB: "40 B", "1.5 MiB"; "0" for 0.
std::string memoryText(std::int64_t bytes);

// Returns a rate for messages: three significant digits below 100, "1.75" or "0.058", and whole numbers with separators
// above, "142,065".
std::string rateNumber(double value);

// Returns the shortest decimal form, such as "5" or "0.25"; integers have no point.
std::string plainNumber(double value);

}  // namespace ringside
