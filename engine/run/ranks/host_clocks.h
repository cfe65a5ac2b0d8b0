// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/time/clock_comparison.h"
#include "telemetry/events/events.h"

namespace ringside {

// Keeps the clocks of a run's hosts together, at whoever hosts it: asks the ranks elsewhere for the time again and
// again, tells them where the run's times begin on their own clock, and the viewers how well that is known. Times are
// microseconds of this host's CLOCK_MONOTONIC. The ranks of one host have one clock: the answers of all count.
class HostClocks {
  public:
    static constexpr int kEagerQuestions = 8;  // of each rank at first, so that the first traces lie well
    static constexpr std::int64_t kEagerUs = 100'000;
    static constexpr std::int64_t kEveryUs = 5'000'000;
    static constexpr std::int64_t kTellUs = 15'000'000;

    // hosts: of each rank, 0 = this one; empty: all are here. epochUs: zero of the run's times.
    HostClocks(std::span<const int> hosts, std::int64_t epochUs);

    struct Question {
        int rank = 0;
        std::string line;  // for its control connection
    };
    // What is to be asked now, mostly nothing.
    std::vector<Question> questions(std::int64_t nowUs);
    void take(int rank, const ClockReading& reading);
    // What viewers should hear now, mostly nothing: when somebody has just answered, and it is known best.
    std::vector<HostClock> news(std::int64_t nowUs);

  private:
    struct Host {
        std::vector<int> ranks;
        ClockComparison clock;
        std::optional<std::int64_t> firstOffsetUs;
    };

    std::vector<Host> m_hosts;  // but this one
    const std::int64_t m_epochUs;
    int m_asked = 0;
    std::int64_t m_askAtUs = 0;
    std::int64_t m_tellAtUs = 0;
    bool m_isFresh = false;  // there was an answer since the last questions
};

}  // namespace ringside
