// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ringside {

// Returns a message in the form in which it may be sent to another user's computer: absolute paths and quoted text
// (cells of tables, names of columns and directories) are replaced by "...". Relative names are kept.
std::string withoutPrivateParts(std::string_view text);

}  // namespace ringside
