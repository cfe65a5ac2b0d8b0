// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <vector>

#include "launch/channels/control_command.h"

namespace ringside {

// Source of the run's control commands. The training reads it on rank 0 only and distributes the commands to the other
// ranks (StepAgreement), except that any rank may call waitForStop().
class ControlSource {
  public:
    virtual ~ControlSource() = default;
    virtual bool pending() const = 0;  // returns true if a command is pending; called once per step, must be cheap
    // Removes and returns the oldest pending commands, at most `most`, in order of arrival.
    virtual std::vector<ControlCommand> take(std::size_t most) = 0;
    // Blocks until a command is pending, at most for the duration `most`. Returns true if a command is pending.
    virtual bool waitPending(std::chrono::microseconds most) = 0;
    // Blocks until a stop is pending, at most for the duration `most`; other commands do not end the wait. Returns true
    // if a stop is pending.
    virtual bool waitForStop(std::chrono::microseconds most) = 0;
};

}  // namespace ringside
