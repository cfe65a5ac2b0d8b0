// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/text/named_choice.h"

namespace ringside {

// Kinds of commands, with the table of their names in JSON and on the command line, in the order of the enumerators.
enum class ControlKind : std::uint8_t {
    kStop,  // stops the run after the current step and saves the weights
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
    // The run's own commands, which decodeControl() does not accept.
    kTraceEvery,  // value: interval of traced steps; sent by rank 0
    kRestart      // value: number of the restart; recorded by the supervisor
};
constexpr std::array<std::string_view, 13> namesOf(ControlKind) {
    return {"stop",   "pause",      "resume", "step",     "phase",       "rate",   "lr",
            "epochs", "checkpoint", "record", "replicas", "trace_every", "restart"};
}

}  // namespace ringside
