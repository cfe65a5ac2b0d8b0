// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/system/unique_fd.h"

namespace ringside {

// Connections of a rank to the process that supervises the run (a supervisor on this computer, or the process of rank 0
// on another computer), and the memory that the ranks of one computer share.
struct RankChannels {
    // Descriptor numbers that `ringside-worker --rank R --run-dir DIR ...` inherits from its supervisor.
    static constexpr int kControlFd = 3;
    static constexpr int kTelemetryFd = 4;
    static constexpr int kStoreFd = 5;
    static constexpr int kSharedFd = 6;

    UniqueFd control;    // channel for lines of JSON in both directions; closed when the supervising process ends
    UniqueFd telemetry;  // channel for telemetry lines from the rank
    UniqueFd store;      // connection to the key-value store (launch/store/store_protocol.h)
    UniqueFd shared;     // memfd of the shared-memory communicator; empty if the ranks share no memory

    // Takes ownership of the inherited descriptors. A member is empty if its descriptor is not open.
    static RankChannels fromSupervisor();
};

}  // namespace ringside
