// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ringside {

// Last line that a rank prints when the supervising process has closed the rank's control connection. The search for
// the cause of a failure (run/supervise/verdict.h) recognises this text.
inline constexpr const char* kControlCut =
    "the control channel to the supervisor was closed, or the supervisor has died";

// Text by which a rank reports a peer that sends invalid data. The search for the cause of a failure recognises this
// text and reports the peer.
inline constexpr const char* kMisbehaves = "violates the protocol of the run";
inline std::string misbehaviourText(int rank, const std::string& how) {
    return "rank " + std::to_string(rank) + " " + kMisbehaves + ": " + how;
}

}  // namespace ringside
