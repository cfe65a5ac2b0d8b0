// SPDX-License-Identifier: Apache-2.0
#include "base/text/last_error_line.h"

namespace ringside {

std::string lastErrorLine(std::string_view output) {
    constexpr std::string_view kSpace = " \t\r\n";
    constexpr std::string_view kProgram = "ringsidectl: ";
    const std::size_t last = output.find_last_not_of(kSpace);
    if (last == std::string_view::npos) return {};
    std::string_view line = output.substr(0, last + 1);
    line.remove_prefix(line.rfind('\n') + 1);  // without a newline, rfind() returns npos, and npos + 1 is 0
    line.remove_prefix(line.find_first_not_of(kSpace));
    if (line.starts_with(kProgram)) line.remove_prefix(kProgram.size());
    return std::string(line);
}

}  // namespace ringside
