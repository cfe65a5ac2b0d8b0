// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <vector>

#include "launch/channels/control_command.h"

namespace ringside {

// Source of control commands. Rank 0 reads it and sends the commands to the other ranks (StepAgreement). Only
// waitForStop() may be called on any rank.
class ControlSource {
  public:
    virtual ~ControlSource() = default;
    // returns true if a command is pending; called in every step and must therefore be fast
    virtual bool hasCommand() const = 0;
    // Removes the oldest pending commands, at most `most`, and returns them in order of arrival.
    virtual std::vector<ControlCommand> take(std::size_t most) = 0;
    // Blocks until a command is pending, at most for the duration `most`. Returns true if a command is pending.
    virtual bool waitForCommand(std::chrono::microseconds most) = 0;
    // Blocks until a stop is pending, at most for the duration `most`; other commands do not end the wait. Returns true
    // if a stop is pending.
    virtual bool waitForStop(std::chrono::microseconds most) = 0;
};

}  // namespace ringside
