// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "telemetry/events/events.h"

namespace ringside {

// Decides which findings of a running script are reported, so that a conclusion from incomplete evidence does not
// stand: a finding is reported once consecutive judgements agree on it, and withdrawn once a judgement does not find it
// any more. Times are microseconds of the run. One thread.
class LiveFindings {
  public:
    static constexpr std::int64_t kEveryUs = 3'000'000;       // between two judgements
    static constexpr std::int64_t kMostShare = 50;            // a judgement takes at most 1/50 of the time
    static constexpr std::int64_t kTextUs = 10'000'000;       // before new numbers of a finding are reported first
    static constexpr std::int64_t kMostTextUs = 600'000'000;  // the time doubles with each report up to this one
    static constexpr int kAgreeing = 2;                       // judgements; twice as many after each withdrawal
    static constexpr int kMostAgreeing = 64;

    // True if the evidence should be judged now.
    bool isDue(std::int64_t nowUs) const { return nowUs >= m_nextUs; }

    // Takes the findings of a judgement that took `tookUs`. Returns the events to record: new and changed findings, and
    // withdrawals. A hang is reported at once, because it is concluded from a time without progress.
    std::vector<Finding> take(const std::vector<Finding>& found, std::int64_t nowUs, std::int64_t tookUs);

    // Returns withdrawals of the reported findings that are not among those at the end of the run.
    std::vector<Finding> finish(const std::vector<Finding>& found, std::int64_t nowUs) const;

  private:
    struct Known {
        Finding finding;  // as last reported, or as found last
        bool isReported = false;
        int agreeing = 0;        // consecutive judgements with this finding
        int needed = kAgreeing;  // before it is reported
        std::int64_t nextTextUs = 0;
        std::int64_t textWaitUs = kTextUs;
    };
    static bool mustReport(Known& known, const Finding& finding, std::int64_t nowUs);

    std::map<std::string, Known> m_known;  // by code
    std::int64_t m_nextUs = 0;
};

}  // namespace ringside
