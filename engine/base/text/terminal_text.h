// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ringside {

// Text of a file or a peer as a terminal may show it: one line, in which control characters, what turns the writing
// direction and bytes that are no UTF-8 are spelled out ("\x1b", "\u202e"). Other text comes back as it is.
std::string terminalText(std::string_view text);

// A JSON line, or several, with such characters as JSON escapes: the same values for whoever parses it.
std::string terminalJson(std::string_view lines);

}  // namespace ringside
