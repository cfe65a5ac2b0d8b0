// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

namespace ringside {

std::string Problem::text() const {
    std::string line = field;
    if (!line.empty() && !message.empty()) line += ' ';
    line += message;
    if (!remedy.empty()) line += ": " + remedy;
    return line;
}

}  // namespace ringside
