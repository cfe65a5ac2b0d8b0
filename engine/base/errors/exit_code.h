// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ringside {

// Exit codes of the Ringside programs; part of the command-line contract.
enum class ExitCode : int {
    kOk = 0,
    kBadConfiguration = 2,  // bad configuration, usage, data file or run directory
    kMistakesFound = 3,     // a check found mistakes in a watched script
    kCommunicationFailed = 10,
    kDeviceFailed = 11,
    kRankDied = 12,
    kRankHung = 13,
    kStopped = 20,  // run or command stopped at the user's request
    kInternal = 70  // bug in Ringside
};

}  // namespace ringside
