// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "telemetry/events/events.h"

namespace ringside {

// Decides which findings of a running script are reported. Early judgements rest on incomplete evidence, so a finding
// is reported only after several consecutive judgements with it, and withdrawn by the first judgement without it. Times
// are microseconds of the run. Not thread-safe.
class LiveFindings {
  public:
    static constexpr std::int64_t kEveryUs = 3'000'000;  // minimum interval between two judgements
    // Minimum interval between two judgements, as a multiple of the time that the latest judgement took.
    static constexpr std::int64_t kMaxShare = 50;
    // Minimum time between the first report of a finding and a report in which only its numbers have changed.
    static constexpr std::int64_t kTextUs = 10'000'000;
    static constexpr std::int64_t kMaxTextUs = 600'000'000;  // limit of the interval between two reports of changed
                                                             // numbers, which begins with kTextUs and doubles with
                                                             // each such report
    // Number of consecutive judgements with a finding before its first report; doubles with each withdrawal.
    static constexpr int kAgreeing = 2;
    static constexpr int kMaxAgreeing = 64;  // limit of the number of consecutive judgements that a report requires

    // True if the evidence should be judged now.
    bool isDue(std::int64_t nowUs) const { return nowUs >= m_nextUs; }

    // Processes the findings of one judgement (one run of all checks) that took `tookUs` microseconds. Returns the
    // events to record: new and changed findings, and withdrawals. A hang is reported at once, because it is concluded
    // from a time without progress.
    std::vector<Finding> update(const std::vector<Finding>& found, std::int64_t nowUs, std::int64_t tookUs);

    // Returns a withdrawal of each reported finding that is not in `found`, the findings at the end of the run.
    std::vector<Finding> finish(const std::vector<Finding>& found, std::int64_t nowUs) const;

  private:
    struct Known {
        Finding finding;  // finding as last reported; empty before its first report
        bool isReported = false;
        int agreeing = 0;                   // consecutive judgements with this finding
        int needed = kAgreeing;             // number of consecutive judgements with this finding that a report requires
        std::int64_t nextTextUs = 0;        // earliest time of the next report that changes only numbers
        std::int64_t textWaitUs = kTextUs;  // minimum interval between two reports that change only numbers
    };
    static bool mustReport(Known& known, const Finding& finding, std::int64_t nowUs);

    std::map<std::string, Known> m_known;  // state of each finding, by the code of its check
    std::int64_t m_nextUs = 0;
};

}  // namespace ringside
