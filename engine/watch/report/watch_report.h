// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/json/json.h"
#include "watch/findings/diagnosis.h"

namespace ringside {

// Facts about the run that a report states besides the findings.
struct ReportedRun {
    std::string command;  // command line that repeats the check; empty if not known
    std::string version;  // version of Ringside
    int ranks = 1;
    std::int64_t steps = 0;  // number of optimizer steps of the rank that has made the fewest
    bool hasFailed = false;  // true if the command or a rank has failed, or if no step was trained
};

// Returns the findings as in summary.json: a list of {code, severity, text, where, evidence, remedy}. `where` is null
// if no line is known.
Json findingsJson(const Diagnosis& diagnosis);

// Returns the checks without a finding as in summary.json: a list of {code, result, why}.
Json checksJson(const Diagnosis& diagnosis);

// Returns the report for a terminal: findings with evidence and remedy, then the checks that did not pass. Ends with
// the command that repeats the check.
std::string reportText(const Diagnosis& diagnosis, const ReportedRun& run);

// Returns the report as JSON: {"version": 1, "ranks", "steps", "command", "findings", "checks"}.
Json reportJson(const Diagnosis& diagnosis, const ReportedRun& run);

// Returns a SARIF 2.1.0 log with one run. Each check is a rule, each finding a result: a mistake has the level "error",
// a cost "warning" and a note "note". Checks without a finding are in the properties of the run.
Json reportSarif(const Diagnosis& diagnosis, const ReportedRun& run);

}  // namespace ringside
