// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/errors/result.h"
#include "launch/channels/control_kind.h"

namespace ringside {

// Command to a live run, from the window, a file descriptor or a socket. Encoded as one line of JSON:
// {"kind":"rate","value":5}.
struct ControlCommand {
    ControlKind kind = ControlKind::kStop;
    double value = 0;  // argument of the command; 0 if its kind has none

    bool operator==(const ControlCommand&) const = default;
};

bool needsValue(ControlKind kind);

// Returns the command as a line, including the newline.
std::string encodeControl(const ControlCommand& command);
// Decodes a line that a user or another program sent, in any formatting that JSON allows. A problem states the error
// and the allowed values.
Result<ControlCommand> decodeControl(std::string_view line);
// Decodes a command given as command-line words: "rate 5", "step", "rate full".
Result<ControlCommand> parseControl(std::span<const std::string> words);

}  // namespace ringside
