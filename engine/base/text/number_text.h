// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace ringside {

// "1,281,167": for people; files have plain digits.
std::string grouped(std::int64_t number);

}  // namespace ringside
