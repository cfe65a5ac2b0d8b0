// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time/clock_comparison.h"
#include "telemetry/events/events.h"

namespace ringside {

// Comparison of the clocks of the computers (hosts) on which a run trains with the clock of rank 0's host.
//
// The supervisor sends time queries to the ranks on other hosts and passes their answers to addReading(). Once a host's
// clock is measured, its queries also contain the start of the run as a time of that clock. Times are microseconds of
// CLOCK_MONOTONIC on rank 0's host. All ranks of a host share one clock: the answer of any rank improves the
// measurement of its host. Used by one thread; no call blocks.
class HostClocks {
  public:
    // Number of queries that each rank receives at the short interval kInitialIntervalUs. Further queries follow at
    // kIntervalUs.
    static constexpr int kInitialQueries = 8;
    static constexpr std::int64_t kInitialIntervalUs = 100'000;
    static constexpr std::int64_t kIntervalUs = 5'000'000;
    static constexpr std::int64_t kReportIntervalUs = 15'000'000;

    // hosts: host index of each rank, 0 = this host; empty: all ranks are on this host. runStartUs: start of the run's
    // time on this host's clock.
    HostClocks(std::span<const int> hosts, std::int64_t runStartUs);

    // Adds a rank that has connected after construction. host: index of the rank's host; 0: this host.
    void add(int rank, int host);

    struct Query {
        int rank = 0;
        std::string line;  // query as a line of text, to be sent on the rank's control connection
    };
    // Returns the time queries that must be sent now; usually none.
    std::vector<Query> queries(std::int64_t nowUs);
    // Adds the answer of a rank to a time query.
    void addReading(int rank, const ClockReading& reading);
    // Returns the clocks of all measured hosts, for the record. Empty before the first kInitialQueries queries, for
    // kReportIntervalUs after a report, and while no answer has arrived since the last queries.
    std::vector<HostClock> clocksToReport(std::int64_t nowUs);

  private:
    struct Host {
        std::vector<int> ranks;
        ClockComparison clock;
        std::optional<std::int64_t> firstOffsetUs;
    };

    std::map<int, Host> m_hosts;  // clocks by index of the host; all hosts except this one
    const std::int64_t m_runStartUs;
    int m_queryCount = 0;  // number of queries that each rank has received since the last rank was added
    std::int64_t m_nextQueryUs = 0;
    std::int64_t m_nextReportUs = 0;
    bool m_isFresh = false;  // true if an answer has arrived since the last queries
};

}  // namespace ringside
