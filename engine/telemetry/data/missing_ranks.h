// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "telemetry/data/run_data.h"

namespace ringside {

// Ranks that have not entered a collective in which other ranks have been waiting for more than a second.
struct MissingRanks {
    std::vector<int> missing;    // ranks that have not entered the collective, in ascending order
    std::vector<int> waiting;    // ranks that wait in the collective, in ascending order
    std::int64_t sinceUs = 0;    // start of the wait, in microseconds since the start of the run
    Phase phase = Phase::kIdle;  // phase that the first missing rank reported in its last heartbeat
    // time of the first missing rank's last heartbeat, in microseconds since the start of the run
    std::int64_t seenUs = 0;

    // Returns a sentence about the missing ranks: how long the other ranks have waited, and the phase and age of the
    // last heartbeat. nowUs: current time in microseconds since the start of the run.
    std::string text(std::int64_t nowUs) const;
};

// Returns the missing ranks according to each rank's last heartbeat. Returns an empty value if no rank waits, or if all
// ranks wait in the same collective.
std::optional<MissingRanks> findMissingRanks(const std::vector<RankData>& ranks);

}  // namespace ringside
