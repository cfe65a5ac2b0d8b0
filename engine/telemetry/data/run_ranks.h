// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "telemetry/curves/throughput.h"
#include "telemetry/data/rank_data.h"
#include "telemetry/data/run_curves.h"
#include "telemetry/events/events.h"

namespace ringside {

// State of each rank of one run, computed from the events that concern a single rank, in bounded memory. Ignores events
// whose rank number is not in the run. Not thread-safe. The next change invalidates references to elements of all().
class RunRanks {
  public:
    // maximum number of sample indices stored for all ranks together; they need 16 MiB
    static constexpr std::size_t kMaxIndices = 1U << 21;

    // keepsIndices: true to store the sample indices that ranks report.
    explicit RunRanks(bool keepsIndices) : m_keepsIndices(keepsIndices) {}

    // Discards the state of all ranks and starts with `worldSize` ranks without events.
    void begin(int worldSize);
    // Changes the number of ranks. Keeps each rank's curves. Discards the reports of trained samples, because the
    // samples were assigned for another number of ranks.
    void changeSize(int worldSize);
    // Resets the state of all ranks before the ranks are restarted. Keeps the curves and the reports of trained
    // samples.
    void resetForRestart();

    const std::vector<RankData>& all() const { return m_ranks; }
    bool contains(int rank) const { return rank >= 0 && static_cast<std::size_t>(rank) < m_ranks.size(); }
    // Returns the time of the latest event of any rank, in microseconds since the start of the run.
    std::int64_t lastSeenUs() const { return m_lastSeenUs; }

    // These functions apply an event to the state of its rank and return the changed parts as RunChange bits.
    unsigned apply(const RankState& event);
    unsigned apply(const Heartbeat& event);
    unsigned apply(const Consumed& event);
    unsigned apply(const ConsumedIndices& event);
    unsigned apply(const PhaseReached& event);
    unsigned apply(const RankMemory& event);
    unsigned apply(const RankTraffic& event);
    unsigned apply(const HostClock& event);
    unsigned apply(const RankLinks& event);
    unsigned apply(const ThrottleKept& event);
    unsigned apply(const LocalResult& event);

    // Adds steps to the state of their rank and to the rank's curves; `curves` computes the points. Returns false if
    // the frame is empty or its rank is not in the run.
    bool add(const StepsFrame& frame, const RunCurves& curves);
    // Sets RankData::inSync of each rank: true if the rank's checksum is the most frequent one. If several checksums
    // are equally frequent, that of the lowest rank counts as correct. `replicas` must contain all ranks.
    void compare(const std::map<int, Replica>& replicas);

  private:
    // Values of one rank from which its RankData is computed.
    struct Account {
        Throughput throughput{1000000};
        std::int64_t samples = 0;
        std::size_t indicesHeld = 0;  // number of the rank's sample indices that are stored
    };

    RankData* find(int rank);
    void recordTime(RankData& rank, std::int64_t timeUs);

    bool m_keepsIndices;
    std::vector<RankData> m_ranks;
    std::vector<Account> m_accounts;  // by rank
    std::int64_t m_lastSeenUs = 0;
};

// Describes the clocks of up to four hosts other than the supervisor's host, for example "node2 +1.84 ms, uncertainty
// 0.06 ms, round trip 0.12 ms".
std::string clocksText(std::span<const RankData> ranks);

// True if each rank is as fast as the device that parallel.pace describes, as last reported (ThrottleKept).
bool keepsThrottle(std::span<const RankData> ranks);

}  // namespace ringside
