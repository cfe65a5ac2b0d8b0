// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "launch/channels/control_kind.h"

namespace ringside {

// Change of the training of a live run by a ControlCommand. A run that resumes from a checkpoint applies the same
// change at the same step.
struct ControlChange {
    ControlKind kind = ControlKind::kLearningRate;  // kind of the change: kLearningRate or kEpochs
    double value = 0;
    std::int64_t step = 0;   // number of steps done before the change
    std::int64_t epoch = 0;  // epoch of the change, counted from 0
    bool operator==(const ControlChange&) const = default;
};

}  // namespace ringside
