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
    kStep,          // runs some steps, then pauses; value: number of steps
    kPhase,         // runs one phase of a step, such as forward or backward, then pauses
    kRate,          // limits the speed; value: maximum steps per second; 0 = full speed
    kLearningRate,  // sets the learning rate from the next step on; value: learning rate
    kEpochs,        // changes the length of the run; value: total number of epochs
    kCheckpoint,    // saves a checkpoint after the current step
    kRecord,        // records steps in detail; value: number of steps
    kReplicas,      // captures the gradients of every rank; value: number of steps
    // The run's own commands, which decodeControl() does not accept.
    kTraceEvery,  // sets the interval of traced steps, sent by rank 0; value: interval
    kRestart      // marks a restart, recorded by the supervisor; value: number of the restart
};
constexpr std::array<std::string_view, 13> namesOf(ControlKind) {
    return {"stop",   "pause",      "resume", "step",     "phase",       "rate",   "lr",
            "epochs", "checkpoint", "record", "replicas", "trace_every", "restart"};
}

}  // namespace ringside
