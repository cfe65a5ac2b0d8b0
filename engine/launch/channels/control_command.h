// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/errors/result.h"

namespace ringside {

enum class ControlKind : std::uint8_t {
    kStop,  // after the step, with the weights saved
    kPause,
    kResume,
    kStep,          // value: so many steps, then paused
    kPhase,         // one phase, then paused
    kRate,          // value: steps a second at most; 0 = full speed
    kLearningRate,  // value: from the next step on
    kEpochs,        // value: in all
    kCheckpoint,    // now
    kRecord,        // value: so many steps in detail
    kReplicas,      // value: so many steps' gradients of every rank
    kTraceEvery,    // value: every so many-th step is traced; rank 0's own, no one else may say it
};

// What a live run is told, from the window, a file descriptor or a socket. One line of JSON: {"kind":"rate","value":5}.
struct ControlCommand {
    ControlKind kind = ControlKind::kStop;
    double value = 0;  // 0 where the kind takes none

    bool operator==(const ControlCommand&) const = default;
};

std::string_view controlName(ControlKind kind);
bool takesValue(ControlKind kind);

// With the newline.
std::string encodeControl(const ControlCommand& command);
// Outside bytes, in any spelling that JSON allows. A problem names what is wrong and what is allowed.
Result<ControlCommand> decodeControl(std::string_view line);
// As words of a command line: "rate 5", "step", "rate full".
Result<ControlCommand> parseControl(std::span<const std::string> words);

}  // namespace ringside
