// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"

namespace ringside {

// Readers of facts that a watched process has sent. A missing key, a null and a value of another type are treated as
// not reported, because facts are bytes from outside.

// Returns the member `key` of an object, or null if `facts` is no object or has no such member.
const Json* memberOf(const Json& facts, std::string_view key);

// Returns a whole number of at most 2^53 in magnitude.
std::optional<std::int64_t> numberOf(const Json& facts, std::string_view key);
std::int64_t numberOf(const Json& facts, std::string_view key, std::int64_t missing);

// Returns a finite number.
std::optional<double> realOf(const Json& facts, std::string_view key);

std::optional<bool> flagOf(const Json& facts, std::string_view key);

// Returns a text of at most 4,096 bytes; empty if none was reported.
std::string textOf(const Json& facts, std::string_view key);

// Returns the whole numbers of an array, without any other elements.
std::vector<std::int64_t> numbersOf(const Json& facts, std::string_view key);

// Returns the texts of an array, without any other elements.
std::vector<std::string> textsOf(const Json& facts, std::string_view key);

}  // namespace ringside
