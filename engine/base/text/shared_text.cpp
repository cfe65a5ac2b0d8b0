// SPDX-License-Identifier: Apache-2.0
#include "base/text/shared_text.h"

#include <cctype>

namespace ringside {
namespace {

constexpr std::string_view kLeftOut = "...";

// True if a path may begin at position `at`: at the start of the text, and after white space, a bracket, a quote or a
// separator.
bool mayBegin(std::string_view text, std::size_t at) {
    if (at == 0) return true;
    const char before = text[at - 1];
    return std::isalnum(static_cast<unsigned char>(before)) == 0 && before != '/' && before != '.';
}

bool isInPath(char letter) {
    return std::isspace(static_cast<unsigned char>(letter)) == 0 && letter != '"' && letter != '\'' && letter != ')' &&
           letter != ',' && letter != ';' && letter != ':';
}

bool beginsPath(std::string_view text, std::size_t at) {
    const bool isHome = text[at] == '~' && at + 1 < text.size() && text[at + 1] == '/';
    const bool isAbsolute = text[at] == '/' && at + 1 < text.size() && isInPath(text[at + 1]);
    return (isHome || isAbsolute) && mayBegin(text, at);
}

std::string withoutPaths(std::string_view text) {
    std::string shown;
    for (std::size_t at = 0; at < text.size();) {
        if (!beginsPath(text, at)) {
            shown += text[at++];
            continue;
        }
        while (at < text.size() && isInPath(text[at])) ++at;
        shown.append(kLeftOut);
    }
    return shown;
}

}  // namespace

// Replaces all text from the first quote to the last quote, because quoted text may contain quotes.
std::string withoutPrivateParts(std::string_view text) {
    const std::size_t first = text.find('"');
    if (first == std::string_view::npos) return withoutPaths(text);
    const std::size_t last = text.rfind('"');
    const std::string_view after = last == first ? std::string_view() : text.substr(last + 1);
    return withoutPaths(text.substr(0, first)).append("\"").append(kLeftOut).append("\"") + withoutPaths(after);
}

}  // namespace ringside
