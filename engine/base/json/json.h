// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/errors/result.h"
#include "base/json/json_fwd.h"

namespace ringside {

inline constexpr std::size_t kMaxJsonValues = std::size_t{1} << 21;

// Parses text of at most maxBytes, maxDepth nested levels and maxValues values; the problem names the line and column.
// A key that an object has twice is a problem: readers differ in which of the two counts.
// `what` (a file name, "standard input") becomes the problem's field.
Result<Json> parseJson(std::string_view text, const std::string& what, std::size_t maxBytes = 16U << 20,
                       int maxDepth = 64, std::size_t maxValues = kMaxJsonValues);

// Reads and parses a file; a missing, unreadable or oversized file is a problem, not an exception.
Result<Json> readJsonFile(const std::filesystem::path& path, std::size_t maxBytes = 16U << 20);

}  // namespace ringside
