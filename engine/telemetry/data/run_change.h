// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ringside {

// Parts of a RunData that may change. RunData::apply() returns the changed parts as a bit set.
enum RunChange : unsigned {
    kRunStartedChanged = 1U << 0,
    kRanksChanged = 1U << 1,
    kStepsChanged = 1U << 2,
    kEpochsChanged = 1U << 3,
    kLogChanged = 1U << 4,
    kEndChanged = 1U << 5,
    kCheckpointsChanged = 1U << 6,
    kConsumedChanged = 1U << 7,
    kControlChanged = 1U << 8,
    kTraceChanged = 1U << 9,
    kReplicasChanged = 1U << 10
};

}  // namespace ringside
