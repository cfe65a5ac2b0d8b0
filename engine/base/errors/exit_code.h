// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ringside {

// What a Ringside program returns to its caller; part of the command line contract.
enum class ExitCode : int {
    kOk = 0,
    kBadConfiguration = 2,  // bad configuration, usage, data file or run directory
    kCommunicationFailed = 10,
    kDeviceFailed = 11,
    kRankDied = 12,
    kRankHung = 13,
    kStopped = 20,  // stopped by request
    kInternal = 70  // our own fault
};

}  // namespace ringside
