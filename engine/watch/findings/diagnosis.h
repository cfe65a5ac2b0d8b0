// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/events/events.h"
#include "watch/evidence/evidence.h"
#include "watch/findings/checks.h"

namespace ringside {

// Result of a check that has no finding.
struct CheckOutcome {
    std::string code;
    CheckResult result = CheckResult::kPassed;  // result of the check; never kFound
    std::string why;                            // reason of the result, one clause; may be empty if the check has
                                                // passed
};

// Findings and checks of a watched run. Each check is in exactly one of the lists.
struct Diagnosis {
    std::vector<Finding> findings;     // findings: mistakes first, then costs, then notes
    std::vector<CheckOutcome> checks;  // results of the checks without a finding, in the order of allChecks()

    bool hasMistake() const;
};

// Runs all checks on the evidence. A finding that an earlier finding explains is left out, and its check is skipped
// with the code of the explanation. No check passes if reports are known to be missing (Evidence::missingReports()), or
// if a hook that it needs has failed (withFailedHooks()).
Diagnosis findingsOf(const Evidence& evidence);

// Adds a finding that was made while the run was in progress. The finding replaces the result of its check at the end
// of the run. Adds nothing if a check has found the same mistake at the end, or if a finding in the diagnosis explains
// the new one.
void addSeenFinding(Diagnosis& diagnosis, Finding finding);

// Replaces the result of the check with this code, for a check that needs more than the evidence of one run, such as
// resume-not-exact. If the judgement is a finding that another finding explains, the check is skipped instead. A check
// does not pass if reports are known to be missing.
void replaceJudgement(Diagnosis& diagnosis, std::string_view code, Judgement judgement, const Evidence& evidence);

// Runs only the given checks, for tests.
Diagnosis findingsOf(const Evidence& evidence, std::span<const Check> checks);

}  // namespace ringside
