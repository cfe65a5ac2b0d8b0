// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ringside {

// Returns the last non-blank line of ringsidectl's output without the prefix "ringsidectl: ". This line names the cause
// of a failure. Empty if there is no such line.
std::string lastErrorLine(std::string_view output);

}  // namespace ringside
