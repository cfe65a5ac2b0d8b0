// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include <algorithm>

#include "base/files.h"

namespace ringside {
namespace {

// Deepest nesting of brackets outside strings: checked first, because the parser recurses.
int nestingOf(std::string_view text) {
    int depth = 0;
    int deepest = 0;
    bool inString = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (inString) {
            if (c == '\\') ++i;
            if (c == '"') inString = false;
            continue;
        }
        if (c == '"') inString = true;
        if (c == '{' || c == '[') deepest = std::max(deepest, ++depth);
        if (c == '}' || c == ']') --depth;
    }
    return deepest;
}

std::string placeOf(std::string_view text, std::size_t byte) {
    const std::string_view before = text.substr(0, std::min(byte == 0 ? 0 : byte - 1, text.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t newline = before.rfind('\n');
    const std::size_t column = before.size() - (newline == std::string_view::npos ? 0 : newline + 1) + 1;
    return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

}  // namespace

Result<Json> parseJson(std::string_view text, const std::string& what, std::size_t maxBytes, int maxDepth) {
    if (text.size() > maxBytes) {
        return Problem{what, "has " + std::to_string(text.size()) + " bytes; the limit is " + std::to_string(maxBytes),
                       "use a smaller file"};
    }
    if (nestingOf(text) > maxDepth) {
        return Problem{what, "is nested deeper than " + std::to_string(maxDepth) + " levels", "flatten it"};
    }
    try {
        return Json::parse(text.begin(), text.end());
    } catch (const Json::parse_error& error) {
        return Problem{what, "is not valid JSON at " + placeOf(text, error.byte), "correct that place"};
    } catch (const Json::out_of_range&) {
        return Problem{what, "holds a number too large to represent", "use a smaller number"};
    }
}

Result<Json> readJsonFile(const std::filesystem::path& path, std::size_t maxBytes) {
    Result<std::string> text = readFile(path, maxBytes);
    if (!text) return text.problem();
    return parseJson(text.value(), path.string(), maxBytes);
}

}  // namespace ringside
