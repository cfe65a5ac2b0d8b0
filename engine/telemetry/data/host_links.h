// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "telemetry/data/run_data.h"

namespace ringside {

// How a host of a run is reached by the others: the best of its connections to them, as their ranks last told.
struct HostLink {
    enum class Slow { kNo, kFar, kNarrow };

    std::string host = {};          // RankData::host; empty: the run's own
    int rank = 0;                   // the first on it
    double roundTripMs = 0;         // the shortest of the last minutes
    double mbitPerSecond = 0;       // while bytes are on their way, the slower of both directions; 0: too short to tell
    double leastMbitPerSecond = 0;  // the same, or what it is at least
    double movingShare = 0;         // of the time, in which bytes are on their way
    double stepMs = 0;              // of the run; 0: not known
    Slow slow = Slow::kNo;
    double timesSlower = 0;  // kNarrow: at least, than the other hosts; 0: there is none to compare it with

    std::string text() const;     // "2.1 ms round trip, 80 Mbit/s"
    std::string finding() const;  // "11 times slower than the other hosts"; empty where it is not slow
    std::string whole() const;    // both, with a colon
};

// In the order of the hosts' first ranks; none on one host, of two only the one without rank 0. A link is far where a
// round trip takes more than a millisecond and a tenth of a step. It is narrow where it has less than a third of the
// other hosts' median rate and bytes are on their way for more than a tenth of the time; between two hosts, where they
// are for more than half of it.
std::vector<HostLink> hostLinks(const RunData& run);

}  // namespace ringside
