// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/system/unique_fd.h"

namespace ringside {

// What a rank talks through, whoever started it: sockets to whoever hosts the run, a supervisor on this host or rank 0
// on another, and the memory that the ranks of one host share.
struct RankChannels {
    // Under these numbers a supervisor hands them to `ringside-worker --rank R --run-dir DIR ...`.
    static constexpr int kControlFd = 3;
    static constexpr int kTelemetryFd = 4;
    static constexpr int kStoreFd = 5;
    static constexpr int kSharedFd = 6;

    UniqueFd control;    // lines of JSON in both directions; its end = the host of the run is gone
    UniqueFd telemetry;  // telemetry lines out
    UniqueFd store;      // to the key-value store (launch/store_protocol.h)
    UniqueFd shared;     // memfd of the shared-memory communicator; none where the ranks share no memory

    // The inherited descriptors; those that are not open stay empty.
    static RankChannels fromSupervisor();
};

}  // namespace ringside
