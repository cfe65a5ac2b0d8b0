// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"

namespace ringside {

// Readers of facts: JSON objects that a watched process has sent. A missing key, a null and a value of another type are
// treated as not reported, because facts are bytes from outside.

// Returns the member `key` of an object, or null if `facts` is no object or has no such member.
const Json* memberOf(const Json& facts, std::string_view key);

// Returns the member `key` as a whole number of at most 2^53 in magnitude. If it was not reported, returns an empty
// optional, or `missing`.
std::optional<std::int64_t> numberOf(const Json& facts, std::string_view key);
std::int64_t numberOf(const Json& facts, std::string_view key, std::int64_t missing);

// Returns the member `key` as a finite number; empty if it was not reported.
std::optional<double> realOf(const Json& facts, std::string_view key);

std::optional<bool> flagOf(const Json& facts, std::string_view key);

// Returns the member `key` as a text of at most 4,096 bytes; empty if it was not reported.
std::string textOf(const Json& facts, std::string_view key);

// Returns the whole numbers in the array `key`; skips elements of other types. Empty if it was not reported.
std::vector<std::int64_t> numbersOf(const Json& facts, std::string_view key);

// Returns the texts in the array `key`; skips elements of other types. Empty if it was not reported.
std::vector<std::string> textsOf(const Json& facts, std::string_view key);

}  // namespace ringside
