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

// Default limit of the number of values in a JSON text.
inline constexpr std::size_t kMaxJsonValues = std::size_t{1} << 21;

// Parses text of at most maxBytes, maxDepth nested levels and maxValues values. A syntax error names the line and
// column. A key that occurs twice in one object is a problem, because JSON parsers differ in which value they use.
// `what` (a file name, "standard input") becomes the problem's field.
Result<Json> parseJson(std::string_view text, const std::string& what, std::size_t maxBytes = 16U << 20,
                       int maxDepth = 64, std::size_t maxValues = kMaxJsonValues);

// Reads and parses a file. Returns a problem if the file is missing, unreadable or too large.
Result<Json> readJsonFile(const std::filesystem::path& path, std::size_t maxBytes = 16U << 20);

}  // namespace ringside
