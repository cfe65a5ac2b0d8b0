// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <vector>

#include "launch/channels/control_command.h"

namespace ringside {

// Where rank 0 hears what the run is told; other ranks hear it from rank 0 (StepAgreement).
class ControlSource {
  public:
    virtual ~ControlSource() = default;
    virtual bool pending() const = 0;  // cheap; asked once a step
    // What came since the last call, in order, at most so many; the rest stays pending.
    virtual std::vector<ControlCommand> take(std::size_t most) = 0;
    // Sleeps until something is pending, at most so long; says whether something is.
    virtual bool waitPending(std::chrono::microseconds most) = 0;
    // Sleeps so long, or until a stop is pending, whatever else is; says whether one is. On any rank.
    virtual bool waitForStop(std::chrono::microseconds most) = 0;
};

}  // namespace ringside
