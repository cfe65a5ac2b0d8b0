// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "telemetry/data/run_data.h"

namespace ringside {

// Ranks that the others are waiting for in a collective, for longer than a second.
struct Awaited {
    std::vector<int> missing;  // ranks, ascending
    std::vector<int> waiting;
    std::int64_t sinceUs = 0;    // run time
    Phase phase = Phase::kIdle;  // in which the first of the missing was seen last
    std::int64_t seenUs = 0;     // and when

    // "rank 2 is awaited for 3 s, last seen in backward 4 s ago"
    std::string text(std::int64_t nowUs) const;
};

// As the last heartbeats have it; nothing while all get on, and where all wait in the same collective.
std::optional<Awaited> awaitedRanks(const std::vector<RankData>& ranks);

}  // namespace ringside
