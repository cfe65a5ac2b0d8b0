// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace ringside {

// "1,281,167": for people; files have plain digits.
std::string grouped(std::int64_t number);

// "5", "0.25": as a person writes it, whole numbers without a point.
std::string plainNumber(double value);

}  // namespace ringside
