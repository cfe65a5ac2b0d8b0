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

// Comparison of the clocks of a run's hosts with the clock of rank 0's host.
//
// The supervisor sends time questions to the ranks on other hosts and passes their answers to take(). Once a host's
// clock is measured, its questions also contain the start of the run as a time of that clock. Times are microseconds of
// CLOCK_MONOTONIC on rank 0's host. All ranks of a host share one clock: the answer of any rank improves the
// measurement of its host. Used by one thread; no call blocks.
class HostClocks {
  public:
    // Number of questions that each rank gets at the short interval kEagerUs; the later ones follow at kEveryUs.
    static constexpr int kEagerQuestions = 8;
    static constexpr std::int64_t kEagerUs = 100'000;
    static constexpr std::int64_t kEveryUs = 5'000'000;
    static constexpr std::int64_t kReportIntervalUs = 15'000'000;

    // hosts: host index of each rank, 0 = this host; empty: all ranks are on this host. runStartUs: start of the run's
    // time on this host's clock.
    HostClocks(std::span<const int> hosts, std::int64_t runStartUs);

    // Adds a rank that has connected after construction. host: index of the rank's host; 0: this host.
    void add(int rank, int host);

    struct Question {
        int rank = 0;
        std::string line;  // line for the rank's control connection
    };
    // Returns the time questions that must be sent now; usually none.
    std::vector<Question> questions(std::int64_t nowUs);
    // Adds the answer of a rank to a time question.
    void take(int rank, const ClockReading& reading);
    // Returns the clocks of all measured hosts, for the record. Empty before the first kEagerQuestions questions, for
    // kReportIntervalUs after a report, and while no answer has arrived since the last questions.
    std::vector<HostClock> news(std::int64_t nowUs);

  private:
    struct Host {
        std::vector<int> ranks;
        ClockComparison clock;
        std::optional<std::int64_t> firstOffsetUs;
    };

    std::map<int, Host> m_hosts;  // clocks by index of the host; all hosts except this one
    const std::int64_t m_runStartUs;
    int m_asked = 0;
    std::int64_t m_askAtUs = 0;
    std::int64_t m_reportAtUs = 0;
    bool m_isFresh = false;  // true if an answer has arrived since the last questions
};

}  // namespace ringside
