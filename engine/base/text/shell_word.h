// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ringside {

// Returns `text` quoted as one word of a POSIX shell.
std::string shellWord(const std::string& text);

}  // namespace ringside
