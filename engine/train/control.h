// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ringside {

// What a run can be told. Rank 0's code reaches all ranks with the gradients, so that all obey at the same step.
enum class ControlCode : int { kNone = 0, kStop = 1 };

class ControlSource {
  public:
    virtual ~ControlSource() = default;
    virtual ControlCode pending() const = 0;  // cheap; asked once a step
};

}  // namespace ringside
