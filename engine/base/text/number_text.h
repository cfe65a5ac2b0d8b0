// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ringside {

// Returns "1,281,167" for 1281167, for messages. Files contain plain digits.
std::string grouped(std::int64_t number);

// Returns the number with its noun: "1 rank", "1,200 ranks", "3 batches".
std::string counted(std::int64_t number, std::string_view noun);

// Returns the shortest decimal form, such as "5" or "0.25"; integers have no point.
std::string plainNumber(double value);

}  // namespace ringside
