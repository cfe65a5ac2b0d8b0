// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ringside {

// Returns text of a file or a peer in a form that is safe to print on a terminal. Control characters, newlines,
// characters that change the writing direction and invalid UTF-8 are escaped ("\x1b", "\u202e"). Other text is
// unchanged.
std::string terminalText(std::string_view text);

// Replaces the characters that terminalText() escapes by JSON escapes, so that parsers read the same values from the
// JSON lines. Keeps newlines.
std::string terminalJson(std::string_view lines);

}  // namespace ringside
