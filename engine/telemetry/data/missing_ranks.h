// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "telemetry/data/run_data.h"

namespace ringside {

// Ranks for which other ranks have been waiting in a collective for more than a second.
struct MissingRanks {
    std::vector<int> missing;    // ranks that have not entered the collective, in ascending order
    std::vector<int> waiting;    // ranks that wait in the collective, in ascending order
    std::int64_t sinceUs = 0;    // start of the wait, in microseconds since the start of the run
    Phase phase = Phase::kIdle;  // phase of the first missing rank in its last heartbeat
    std::int64_t seenUs = 0;     // time of that last heartbeat, in microseconds since the start of the run

    // Returns a sentence with the missing ranks, the length of the wait, and the phase and age of the last heartbeat.
    std::string text(std::int64_t nowUs) const;
};

// Returns the missing ranks according to the last heartbeats. Returns nothing if no rank waits, or if all ranks wait in
// the same collective.
std::optional<MissingRanks> findMissingRanks(const std::vector<RankData>& ranks);

}  // namespace ringside
