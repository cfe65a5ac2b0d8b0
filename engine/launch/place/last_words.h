// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ringside {

// What a rank says when whoever hosts the run cannot tell it anything any more; the verdict knows it again.
inline constexpr const char* kControlCut = "its control channel was cut: the supervisor is gone, or somebody closed it";

// A rank's report of a peer that sends what no rank of the run sends; the verdict recognises it and names the peer.
inline constexpr const char* kMisbehaves = "breaks the rules of the run";
inline std::string misbehaviourText(int rank, const std::string& how) {
    return "rank " + std::to_string(rank) + " " + kMisbehaves + ": " + how;
}

}  // namespace ringside
