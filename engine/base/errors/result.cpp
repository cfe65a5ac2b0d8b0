// SPDX-License-Identifier: Apache-2.0
#include "base/errors/result.h"

#include "base/text/terminal_text.h"

namespace ringside {

std::string Problem::text() const {
    std::string line = field;
    if (!line.empty() && !message.empty()) line += ' ';
    line += message;
    if (!remedy.empty()) line += ": " + remedy;
    return terminalText(line);  // escapes control characters, because field and message may contain text from files and
                                // peers
}

}  // namespace ringside
