// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/errors/result.h"

namespace ringside {

// Kinds of commands. Each value is an index into the table of rules in control_command.cpp.
enum class ControlKind : std::uint8_t {
    kStop,  // after the current step; saves the weights
    kPause,
    kResume,
    kStep,          // value: number of steps until the next pause
    kPhase,         // runs one phase, then pauses
    kRate,          // value: maximum steps per second; 0 = full speed
    kLearningRate,  // value: learning rate from the next step on
    kEpochs,        // value: total number of epochs
    kCheckpoint,    // saves a checkpoint after the current step
    kRecord,        // value: number of steps to record in detail
    kReplicas,      // value: number of steps whose gradients are captured on every rank
    kTraceEvery,    // value: interval of traced steps. Sent by rank 0 only; decodeControl() does not accept it
};

// Command to a live run, from the window, a file descriptor or a socket. Encoded as one line of JSON:
// {"kind":"rate","value":5}.
struct ControlCommand {
    ControlKind kind = ControlKind::kStop;
    double value = 0;  // 0 if the kind has no value

    bool operator==(const ControlCommand&) const = default;
};

// Returns the name of a command in JSON and on the command line, such as "lr". Empty for kTraceEvery.
std::string_view controlName(ControlKind kind);
bool needsValue(ControlKind kind);

// Returns the line, including the newline.
std::string encodeControl(const ControlCommand& command);
// Decodes a line from outside, in any formatting that JSON allows. A problem gives the error and the allowed values.
Result<ControlCommand> decodeControl(std::string_view line);
// Decodes a command given as command-line words: "rate 5", "step", "rate full".
Result<ControlCommand> parseControl(std::span<const std::string> words);

}  // namespace ringside
